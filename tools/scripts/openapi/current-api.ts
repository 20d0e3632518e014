import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Modules from '../../../src/app/app.module.js';
import type * as Settings from '../../../src/config/config.js';
import type * as Documents from '../../../src/openapi/document.js';
import type * as Catalogue from '../../../src/platform/http/errors/problem-catalogue.js';
import { format } from '../../prettier.js';
import type { Json } from './breaking-changes.js';

const DIST = pathToFileURL(join(import.meta.dirname, '../../../dist/')).href;

/**
 * Reads only the routes and their decorators, so nothing connects or listens. It uses the build, since this script's
 * own compiler leaves out the type information that Nest reads.
 */
export async function currentApi(): Promise<{ document: Json; problems: string }> {
  const { readConfig } = await compiled<typeof Settings>('config/config.js');
  const { AppModule } = await compiled<typeof Modules>('app/app.module.js');
  const { openApiDocument } = await compiled<typeof Documents>('openapi/document.js');
  const { PROBLEMS } = await compiled<typeof Catalogue>('platform/http/errors/problem-catalogue.js');
  const config = readConfig({
    DATABASE_URL: 'postgres://127.0.0.1/unused',
    MASTER_KEY: Buffer.alloc(32).toString('base64'),
    ROLE: 'api',
  });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.forConfig(config), new FastifyAdapter(), {
    preview: true,
    abortOnError: false,
    logger: ['error'],
  });
  const document = openApiDocument(app);
  return { document: JSON.parse(JSON.stringify(document)) as Json, problems: await problemPages(PROBLEMS) };
}

function compiled<Module>(path: string): Promise<Module> {
  return import(`${DIST}${path}`) as Promise<Module>;
}

const HEAD = `# Error codes

After this page your client handles each error. Every answer outside 2xx and 3xx is a problem document (RFC 9457) with one of these codes. Its \`type\` is
\`/problems/{code}\`, a page of the service itself. Codes are stable; texts may improve, and new codes may come. "Retry" marks a code
whose request may succeed later without a change (\`retryable\`).

\`npm run -s openapi\` makes this page from the [catalogue](../src/platform/http/errors/problem-catalogue.ts).
`;

/** Returns the documentation page about problem codes, by status. */
async function problemPages(problems: Readonly<Record<string, Catalogue.ProblemKind>>): Promise<string> {
  const all = Object.entries(problems).sort(([one], [other]) => one.localeCompare(other, 'en'));
  const byStatus = [...Map.groupBy(all, ([, { status }]) => status)].sort(([one], [other]) => one - other);
  const sections = byStatus.map(([status, kinds]) => {
    const lines = kinds.map(([code, kind]) => lineOf(code, kind));
    return `## ${status}\n\n${lines.join('\n')}\n`;
  });
  return format([HEAD, ...sections].join('\n'), { parser: 'markdown', printWidth: 120 });
}

function lineOf(code: string, { retryable, about }: Catalogue.ProblemKind): string {
  return `- \`${code}\`${retryable ? ' (retry)' : ''}: ${about}`;
}
