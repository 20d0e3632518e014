import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Modules from '../../../src/app/app.module.js';
import type * as Settings from '../../../src/config/config.js';
import type * as Documents from '../../../src/openapi/document.js';
import type * as Catalogue from '../../../src/platform/http/errors/problem-catalogue.js';
import type { Json } from './breaking-changes.js';
import { problemPages } from './problem-pages.js';

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
