import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { version } from './version.js';

const ABOUT = `Says whether a domain name can be registered, watches names, and tells you when something changes.

Authorise with an API key: the first one stands in the file \`first-key\` of the data directory. Every example uses
names under \`.test\`, which answer without asking any registry.`;

/** The OpenAPI 3.1 document of everything this process serves. */
export function openApiDocument(app: NestFastifyApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Namewatch')
    .setVersion(version)
    .setDescription(ABOUT)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key: `nw_…`.' }, 'key')
    .addTag('Domains', 'Whether a name can be registered.')
    .addTag('Watchlist', 'The names that an account watches.')
    .addTag('Notifications', 'Where an account is told.')
    .addTag('Health', 'For whoever runs the service.')
    .addTag('Problems', 'What each error code means.');
  return SwaggerModule.createDocument(app, builder.build());
}

/** Swagger UI at `/docs`, the document at `/openapi.json`. */
export function serveDocs(app: NestFastifyApplication): void {
  SwaggerModule.setup('docs', app, () => openApiDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: 'Namewatch API',
    swaggerOptions: { persistAuthorization: true, tryItOutEnabled: true, displayRequestDuration: true },
  });
}
