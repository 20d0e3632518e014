import type { INestApplicationContext } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { RouteOptions } from 'fastify';
import { Config } from '../config/config.js';
import { type ChannelSender, ChannelSenderRegistry } from '../notifications/index.js';
import { withAuditActions } from '../auth/views.js';
import { withChannelTypes, withEventContract } from '../notifications/views.js';
import { ScopeCatalogue, SCOPES } from '../auth/language.js';
import { EXTENSION_LOOKUP_SOURCES, type LookupSource } from '../domains/index.js';
import { EVIDENCE_SOURCES, REGISTRY_SOURCES } from '../domains/language.js';
import { problemResponse, PROBLEM_TYPE } from '../platform/http/errors/api-problems.js';
import { EXTENSION_CODES, ProblemCatalogue } from '../platform/http/errors/problem-catalogue.js';
import {
  completeOperations,
  type Operation,
  operationsOf,
  placedOperationsOf,
  refusalsOf,
  withCommonHeaders,
} from './operations.js';
import { withSharedParameters, withSharedErrorResponses, withSchemaNames } from './shared-components.js';
import { toPublicPath } from '../platform/http/request.js';
import type { RouteAccess } from '../platform/http/route-access.js';
import { allowDocsScripts } from '../platform/http/hooks/security-headers.js';
import { version } from '../platform/outbound/user-agent.js';

const DOCS_ROUTES = new Set(['/', '/docs', '/openapi.json', '/openapi.yaml']);

const DESCRIPTION = `Checks whether a domain name can be registered, watches names, and notifies you of changes.

**A key.** Click *Authorize* and paste an API key. The first one is in the file \`first-key\` of the data directory
(\`.data/first-key\`).

**Examples** use names under \`.test\`, which answer without asking any registry: try them as they are.

**Refusals** are problem documents (RFC 9457): \`code\` is stable, \`detail\` is for people. A path that exists, asked
with another method, answers 405 \`method_not_allowed\`. Each operation lists the codes that it answers; \`/problems/{code}\` says
what a code means and what to do.

**Accounts.** A key is of one account. A person who signed in may have several accounts. Each change then needs the header
\`X-Namewatch-Account\` (else \`account_required\`). The account of somebody else is 403 \`not_a_member\`, for keys too.

**Limits.** The header \`RateLimit\` says how many requests are left. **Retries.** A POST may be retried with the same
\`Idempotency-Key\`. **Changes.** \`ETag\`, \`If-None-Match\` and \`If-Match\` work as RFC 9110 says.`;

/** Returns the OpenAPI 3.1 document of everything that this process serves. */
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
    .addTag('Signing in', 'How people sign in at the dashboard.')
    .addTag('Keys', 'API keys of the account. These operations need the scope `admin`.')
    .addTag('Audit', 'The audit trail of the account.')
    .addTag('Extensions', 'The extensions of this service.')
    .addTag('Health', 'Liveness and readiness.')
    .addTag('Problems', 'The meaning of each error code.');
  // Not set through the builder, which requires URLs. OpenAPI 3.1 also accepts the SPDX identifier of a licence.
  const license = { name: 'MIT', identifier: 'MIT' };
  const info = { ...builder.build().info, license, contact: { name: 'The administrator of this service' } };
  const document = withExtensionResponses(SwaggerModule.createDocument(app, { ...builder.build(), info }), app);
  const completed = withAuditActions(withEventContract(withCommonHeaders(completeOperations(document))));
  const shared = withSharedParameters(withSharedErrorResponses(completed));
  const named = withSchemaNames(withChannelTypes(withExtensionValues(shared, app), senders));
  return withBasePath(named, basePath);
}

/**
 * Serves Swagger UI, which loads nothing from elsewhere.
 * @param options.isStartPage whether `/` redirects to `/docs`
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
      // An absolute path, because the page is served at /docs and at /docs/.
      customJs: `${fastify.basePath}/docs/colour-scheme.js`,
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

/** Makes Swagger's routes public. They have no controller that a decorator could make public. */
function makeDocsPublic(route: RouteOptions): void {
  const access = { public: true } satisfies RouteAccess;
  if (!DOCS_ROUTES.has(route.url) && !route.url.startsWith('/docs/')) return;
  route.config = Object.assign({}, route.config, access);
  allowDocsScripts(route);
}

/** Adds a class to the page in dark mode, which enables Swagger UI's dark theme. */
const DARK_MODE_SCRIPT = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
`;

/** Replaces colours that are too faint. Every text gets a contrast of at least 4.5 (WCAG 2.2, 1.4.3). */
const DOCS_CSS = `
.swagger-ui .opblock .opblock-summary-method { color: #fff; text-shadow: none; }
.swagger-ui .opblock.opblock-get .opblock-summary-method, .swagger-ui .btn.execute { background: #1f62a8; border-color: #1f62a8; }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #1c7a4d; }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0f766e; }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b42318; }
.swagger-ui .info .title small, .swagger-ui .info .title small.version-stamp { background: #555; }
.swagger-ui .info .title small pre { color: #fff; }
.swagger-ui .btn.authorize, .swagger-ui .btn.authorize span { color: #1c7a4d; border-color: #1c7a4d; }
.swagger-ui .btn.cancel { color: #b42318; border-color: #b42318; }
.swagger-ui a, .swagger-ui .info a { color: #1f62a8; }
.swagger-ui .parameter__in, .swagger-ui .prop-format, .swagger-ui .json-schema-2020-12-expand-deep-button { color: #555; }
.swagger-ui .parameter__name.required span, .swagger-ui .parameter__name.required::after { color: #b42318; }
.swagger-ui .markdown code, .swagger-ui .renderedMarkdown code { color: #7a08d1; }
.swagger-ui .download-contents { background: #444; color: #fff; }
.swagger-ui .highlight-code span[style*='rgb(211, 99, 99)'] { color: #ff9d94 !important; }
/* Shows each refusal in one line with its status and codes. All have the body Problem; /problems explains the codes. */
.swagger-ui .responses-table:not(.live-responses-table) .response:is([data-code^='4'], [data-code^='5']) .response-col_description > :not(.response-col_description__inner) { display: none; }
.swagger-ui .responses-table:not(.live-responses-table) .response:is([data-code^='4'], [data-code^='5']) td { padding-top: 2px; }
.swagger-ui .responses-table:not(.live-responses-table) .response:is([data-code^='4'], [data-code^='5']) .response-col_description__inner p { margin: 0; }
.swagger-ui .responses-table:not(.live-responses-table) .response:is([data-code^='4'], [data-code^='5']) .response-col_links { visibility: hidden; }
html.dark-mode .swagger-ui .btn.authorize, html.dark-mode .swagger-ui .btn.authorize span { color: #6ee7a8; border-color: #6ee7a8; }
html.dark-mode .swagger-ui .markdown code, html.dark-mode .swagger-ui .renderedMarkdown code { color: #d9b8ff; }
html.dark-mode .swagger-ui .header-col { color: #e4e6e6; }
html.dark-mode .swagger-ui .btn.cancel { color: #ffc2bc; border-color: #ffc2bc; }
html.dark-mode .swagger-ui .examples-select__section-label { color: #e4e6e6; }
html.dark-mode .swagger-ui a, html.dark-mode .swagger-ui .info a { color: #8ec5ff; }
html.dark-mode .swagger-ui .parameter__in, html.dark-mode .swagger-ui .prop-format { color: #c8c8c8; }
html.dark-mode .swagger-ui .json-schema-2020-12-expand-deep-button { color: #c8c8c8; }
html.dark-mode .swagger-ui .parameter__name.required span { color: #ff9d94; }
html.dark-mode .swagger-ui .parameter__name.required::after { color: #ff9d94; }
`;

/** The members of problem documents that are paths. */
const PATH_MEMBERS = new Set(['type', 'instance']);

/** Adds the base path to the paths in examples of problems, as this service sends them. */
function withBasePath(document: OpenAPIObject, basePath: string): OpenAPIObject {
  if (basePath === '') return document;
  const withPath = (name: string, value: unknown): unknown =>
    PATH_MEMBERS.has(name) && typeof value === 'string' && value.startsWith('/') ? basePath + value : value;
  return JSON.parse(JSON.stringify(document), withPath) as OpenAPIObject;
}

type ExtensibleOperation = Operation & { [EXTENSION_CODES]?: readonly string[] };

/** An enumeration: Namewatch's own values, and all values including those of the installed extensions. */
interface ExtendedEnum {
  readonly builtIn: readonly (string | null)[];
  readonly all: readonly (string | null)[];
}

/**
 * Adds responses that no decorator declares, such as 413 for a large body and errors of extensions. Adds the
 * extensions' tags.
 */
function withExtensionResponses(made: OpenAPIObject, app: INestApplicationContext): OpenAPIObject {
  const problems = app.get(ProblemCatalogue, { strict: false });
  // A copy, because the decorators use the objects of `made` again for the next document.
  const document = structuredClone(made);
  for (const { method, path, operation } of placedOperationsOf(document)) {
    const { [EXTENSION_CODES]: declared = [] } = operation as ExtensibleOperation;
    delete (operation as ExtensibleOperation)[EXTENSION_CODES];
    addProblemResponses(operation, [...declared, ...refusalsOf(method, path, operation)], problems);
  }
  return { ...document, tags: [...(document.tags ?? []), ...findUndescribedTags(document)] };
}

/** Adds the values of extensions wherever the document lists exactly the built-in values. */
function withExtensionValues(document: OpenAPIObject, app: INestApplicationContext): OpenAPIObject {
  const scopes = app.get(ScopeCatalogue, { strict: false });
  const sources = app.get<readonly LookupSource[] | null>(EXTENSION_LOOKUP_SOURCES, { strict: false });
  // `sources` is null if the application only writes the document.
  const names = sources?.map(({ name }) => name) ?? [];
  const withNames = [EVIDENCE_SOURCES, [...EVIDENCE_SOURCES, null], REGISTRY_SOURCES].map((builtIn) => {
    return { builtIn, all: [...builtIn, ...names] };
  });
  return extendEnums(document, [{ builtIn: SCOPES, all: scopes.all }, ...withNames]);
}

function extendEnums(document: OpenAPIObject, enums: readonly ExtendedEnum[]): OpenAPIObject {
  const extended = new Map(enums.map(({ builtIn, all }) => [builtIn.join(), all]));
  const extend = (name: string, value: unknown): unknown =>
    name === 'enum' && Array.isArray(value) ? (extended.get(value.join()) ?? value) : value;
  return JSON.parse(JSON.stringify(document), extend) as OpenAPIObject;
}

function addProblemResponses(operation: Operation, codes: readonly string[], problems: ProblemCatalogue): void {
  const known = codes.filter((code) => problems.find(code) !== undefined);
  for (const [status, all] of Map.groupBy(known, (code) => problems.find(code)?.status ?? 500)) {
    const present = operation.responses[status];
    const added = all.filter((code) => !JSON.stringify(present ?? '').includes(`\`${code}\``));
    if (added.length === 0) continue;
    const response = problemResponse(status, added);
    if (present && !('$ref' in present) && present.content?.[PROBLEM_TYPE])
      present.description = [present.description, response.description].filter(Boolean).join(', ');
    else operation.responses[status] = response;
  }
}

function findUndescribedTags(document: OpenAPIObject): { name: string; description: string }[] {
  const described = new Set(document.tags?.map(({ name }) => name));
  const used = new Set(operationsOf(document).flatMap(({ tags = [] }) => tags));
  return [...used].filter((name) => !described.has(name)).map((name) => ({ name, description: 'Of an extension.' }));
}
