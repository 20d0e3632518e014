import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { createNamewatch, Namewatch, NamewatchModule, readNamewatchConfig } from '../../../src/kit.js';
import { createTestConfig } from '../../support/servers/test-service.js';

const UNREACHABLE = 'postgres://someone:secret@127.0.0.1:1/none';

describe('Namewatch in another application', () => {
  it('makes the application’s start fail with a clear message if the database is unreachable', async () => {
    const { config } = await createTestConfig({});
    const absent = config.withDatabase({ url: UNREACHABLE, migrationUrl: UNREACHABLE }, config.masterKeys);
    const module = NamewatchModule.forRoot({ config: absent, path: '/names' });
    const starting = NestFactory.create(module, new FastifyAdapter(), { logger: false, abortOnError: false });
    await expect(starting).rejects.toThrow(/^DATABASE_URL: .*127\.0\.0\.1:1/);
  });

  it('reports that the metrics port is in use before it connects to the database', async () => {
    const taken = createServer();
    await once(taken.listen(0, '127.0.0.1'), 'listening');
    const { config } = await createTestConfig({ METRICS_PORT: String((taken.address() as AddressInfo).port) });
    const absent = config.withDatabase({ url: UNREACHABLE, migrationUrl: UNREACHABLE }, config.masterKeys);
    const starting = createNamewatch(absent, { path: '/names' });
    await expect(starting).rejects.toThrow(/^METRICS_PORT: 127\.0\.0\.1:\d+ is already in use by another program$/);
    taken.close();
  });

  it('refuses to start without a database, a valid configuration and a valid path', async () => {
    const config = readNamewatchConfig({});
    await expect(createNamewatch(config, { path: '/names' })).rejects.toThrow(/^DATABASE_URL is required/);
    await expect(createNamewatch({ role: 'all' }, { path: '/names' })).rejects.toThrow(
      /must come from readNamewatchConfig/,
    );
    await expect(createNamewatch(config, { path: '/names/' })).rejects.toThrow(/the path of Namewatch must be one/);
  });

  it('runs a worker in an application without HTTP', async () => {
    const { config } = await createTestConfig({ ROLE: 'worker' });
    const module = NamewatchModule.forRoot({ config });
    const context = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
    expect(context.get(Namewatch)).toBeInstanceOf(Namewatch);
    await context.close();
  });
});
