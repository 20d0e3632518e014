import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { RouteOptions } from 'fastify';
import { Config } from '../config/config.js';
import { type ChannelSender, ChannelSenderRegistry } from '../notifications/index.js';
import { withAuditActions } from '../auth/views.js';
import { withChannelTypes, withEventContract } from '../notifications/views.js';
import { completeOperations } from './complete-operations.js';
import { withCommonHeaders } from './common-headers.js';
import { withExtensionResponses, withExtensionValues } from './extension-values.js';
import { withBasePath } from './examples-base-path.js';
import { DARK_MODE_SCRIPT, DOCS_CSS } from './docs-theme.js';
import { withSharedParameters } from './shared-parameters.js';
import { withSharedErrorResponses } from './error-responses.js';
import { withSchemaNames } from './schema-names.js';
import { toPublicPath } from '../platform/http/base-path.js';
import type { RouteAccess } from '../platform/http/route-access.js';
import { allowDocsScripts } from '../platform/http/hooks/security-headers.js';
import { version } from '../app/version.js';

const DOCS_ROUTES = new Set(['/', '/docs', '/openapi.json', '/openapi.yaml']);

const DESCRIPTION = `Checks whether a domain name can be registered, watches names, and notifies you of changes.

**A key.** Click *Authorize* and paste an API key. The first one is in the file \`first-key\` of the data directory
(\`.data/first-key\`).

**Examples** use names under \`.test\`, which answer without asking any registry: try them as they are.

**Refusals** are problem documents (RFC 9457): \`code\` is stable, \`detail\` is for people. A path that exists, asked
with another method, answers 405 \`method_not_allowed\`. Each operation lists the codes that it answers; \`/problems/{code}\` says
what a code means and what to do.

**Limits.** The header \`RateLimit\` says how many requests are left. **Retries.** A POST may be retried with the same
\`Idempotency-Key\`. **Changes.** \`ETag\`, \`If-None-Match\` and \`If-Match\` work as RFC 9110 says.`;

/**
 * The OpenAPI 3.1 document of everything this process serves.
 * @param senders the types of channels that it has
 */
export function openApiDocument(app: NestFastifyApplication, senders: readonly ChannelSender[] = []): OpenAPIObject {
  const { basePath } = app.get(Config, { strict: false });
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Namewatch')
    .setVersion(version)
    .setDescription(DESCRIPTION)
    .addServer(basePath === '' ? '/' : basePath)
    .addSecurity('key', { type: 'http', scheme: 'bearer', description: 'An API key: `nw_…`.' })
    .addTag('Domains', 'Whether a name can be registered, and the registries behind the answer.')
    .addTag('Watchlist', 'The names that an account watches.')
    .addTag('Notifications', 'Channels that receive the events of an account.')
    .addTag('Links in mails', 'Confirmation and unsubscribe links.')
    .addTag('Keys', 'API keys of the account. These operations need the scope `admin`.')
    .addTag('Audit', 'Who did what in the account.')
    .addTag('Health', 'Liveness and readiness.')
    .addTag('Problems', 'What each error code means.');
  // OpenAPI 3.1 names a licence by its SPDX identifier, which loads and links nothing; nor does a contact without a URL.
  const license = { name: 'MIT', identifier: 'MIT' };
  const info = { ...builder.build().info, license, contact: { name: 'The administrator of this service' } };
  const document = withExtensionResponses(SwaggerModule.createDocument(app, { ...builder.build(), info }), app);
  const completed = withAuditActions(withEventContract(withCommonHeaders(completeOperations(document))));
  const shared = withSharedParameters(withSharedErrorResponses(completed));
  const named = withSchemaNames(withChannelTypes(withExtensionValues(shared, app), senders));
  return withBasePath(named, basePath);
}

/**
 * Swagger UI at `/docs`, the document at `/openapi.json`. Everything that the page loads is served from here.
 * @param options.isStartPage whether `/` leads there
 */
export function serveDocs(app: NestFastifyApplication, { isStartPage }: { readonly isStartPage: boolean }): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRoute', makeDocsPublic);
  if (isStartPage) fastify.get('/', (_, reply) => reply.redirect(toPublicPath(reply, '/docs')));
  fastify.get('/docs/colour-scheme.js', (_, reply) => reply.type('text/javascript').send(DARK_MODE_SCRIPT));
  SwaggerModule.setup(
    'docs',
    app,
    () => openApiDocument(app, app.get(ChannelSenderRegistry, { strict: false }).all()),
    {
      jsonDocumentUrl: 'openapi.json',
      yamlDocumentUrl: 'openapi.yaml',
      customSiteTitle: 'Namewatch API',
      customJs: `${fastify.basePath}/docs/colour-scheme.js`, // the page is served at /docs and at /docs/
      customCss: DOCS_CSS,
      swaggerOptions: {
        persistAuthorization: true,
        tryItOutEnabled: true,
        displayRequestDuration: true,
        validatorUrl: 'none', // else the page offers the document to a public validator
      },
    },
  );
}

/** Swagger registers its routes itself, without the decorator by which others say that they ask for no key. */
function makeDocsPublic(route: RouteOptions): void {
  const access = { public: true } satisfies RouteAccess;
  if (!DOCS_ROUTES.has(route.url) && !route.url.startsWith('/docs/')) return;
  route.config = Object.assign({}, route.config, access);
  allowDocsScripts(route);
}
