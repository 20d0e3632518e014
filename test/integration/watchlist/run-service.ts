import { afterAll, beforeAll } from '@jest/globals';
import pg from 'pg';
import { FakeRegistry } from '../../world/registry.js';
import { type Call, startTestService, type TestService } from '../../support/servers/test-service.js';

interface Running {
  readonly registry: FakeRegistry;
  readonly service: TestService;
  readonly database: pg.Client;
}

type Settings = Readonly<Record<string, string>>;

/** Runs a service with a fake registry for `.example`, and a connection to its database, for the tests that follow. */
export function runService(settings: Settings | ((registry: FakeRegistry) => Promise<Settings>) = {}) {
  const running = {} as Running;
  beforeAll(async () => {
    const registry = await FakeRegistry.start();
    const service = await startTestService({
      RDAP_OVERRIDES: `example=${registry.url}`,
      LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
      ...(typeof settings === 'function' ? await settings(registry) : settings),
    });
    const database = new pg.Client(service.databaseUrl);
    Object.assign(running, { registry, service, database });
    await database.connect();
  });
  afterAll(async () => {
    await running.service.close();
    await Promise.all([running.registry.stop(), running.database.end()]);
  });
  return {
    running,
    call: (call: Call) => running.service.call(call),
    query: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
      running.database.query<Row>(text, values),
    part: <Part>(token: abstract new (...parameters: never[]) => Part): Part =>
      running.service.app.get<Part>(token, { strict: false }),
  };
}
