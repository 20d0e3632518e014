import pg from 'pg';
import { FakeRegistry } from '../../../support/fakes/fake-registry.js';
import { startTestService } from '../../../support/servers/test-service.js';

/** A service with a fake registry for `.example`, and a connection to its database. */
export async function startWithRegistry(settings: Readonly<Record<string, string>>) {
  const registry = await FakeRegistry.start();
  const service = await startTestService({
    ...{ RDAP_OVERRIDES: `example=${registry.url}`, LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8' },
    ...settings,
  });
  const database = new pg.Client(service.databaseUrl);
  await database.connect();
  const close = async () => {
    await service.close();
    await Promise.all([registry.stop(), database.end()]);
  };
  return { registry, service, database, close };
}
