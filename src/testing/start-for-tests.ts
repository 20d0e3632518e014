import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Type } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { openAdminContext } from '../app/admin.js';
import { createApplication } from '../app/bootstrap.js';
import { migrate } from '../app/migrate.js';
import { AccountAdminService } from '../auth/index.js';
import { type Config, readConfig } from '../config/config.js';
import type { Extension } from '../extensions/extension.js';
import { Extensions } from '../extensions/extensions.js';
import { Clock } from '../kernel/clock.js';
import { FakeRegistry } from './service/fake-registry.js';
import { MovableClock } from './service/movable-clock.js';
import { startTemporaryDatabase } from './service/temporary-database.js';
import { TestClient } from './service/test-client.js';

export interface TestOptions {
  readonly extensions?: readonly Extension[];
  /**
   * Settings by their names in the environment, which itself is not read. `DATABASE_URL` names an empty database to
   * be used instead of a temporary one.
   */
  readonly settings?: Readonly<Record<string, string>>;
  /** The top-level domains of the fake registry; default `test`. */
  readonly tlds?: readonly string[];
}

/** The whole service in this process, on a database of its own, for one test file. */
export interface TestNamewatch {
  /** `http://127.0.0.1:41234` */
  readonly url: string;
  /** Of an account of the default plan, with all scopes. */
  readonly key: string;
  readonly accountId: string;
  /** Calls the API with that key. */
  readonly client: TestClient;
  readonly clock: MovableClock;
  readonly registry: FakeRegistry;
  readonly databaseUrl: string;
  openAccount(plan?: string): Promise<{ readonly accountId: string; readonly key: string }>;
  /** @returns how many rows of each kind were deleted */
  deleteAccount(accountId: string): Promise<Readonly<Record<string, number>>>;
  /** A provider of the service or of an extension, such as `EntityManager`. */
  get<Provider>(token: Type<Provider> | (abstract new (...dependencies: never[]) => Provider) | string): Provider;
  close(): Promise<void>;
}

/**
 * Starts the service with these extensions and no network: names of `.test` are those of a fake registry on loopback,
 * and a second lookup confirms a change after a second.
 * @throws InvalidConfigurationError as the command line does
 */
export async function startForTests(options: TestOptions = {}): Promise<TestNamewatch> {
  const { extensions = [], settings = {}, tlds = ['test'] } = options;
  const closing: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (let step = closing.pop(); step; step = closing.pop()) await step();
  };
  try {
    const registry = await FakeRegistry.start();
    closing.push(() => registry.stop());
    const databaseUrl = settings['DATABASE_URL'] ?? (await openDatabase(closing));
    const overrides = tlds.map((tld) => `${tld}=${registry.url}`).join();
    const config = readConfig({
      ...DEFAULTS,
      RDAP_OVERRIDES: overrides,
      ...secrets(),
      ...settings,
      DATABASE_URL: databaseUrl,
    });
    const loaded = Extensions.from(extensions);
    const app = await startApplication(config, loaded, closing);
    const deleteAccount = (accountId: string) => deleteAsAdministrator(config, loaded, accountId);
    return { ...(await describe(app)), deleteAccount, registry, databaseUrl, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const LOOPBACK = '127.0.0.0/8';

const DEFAULTS = {
  PORT: '0',
  LOG_LEVEL: 'silent',
  SANDBOX: 'false',
  RDAP_BOOTSTRAP_URL: 'off',
  DNS_SERVERS: 'off',
  CONFIRMATION_SECONDS: '1',
  CONFIRMATION_SECONDS_PENDING_DELETE: '1',
  LOOKUP_ALLOW_NETWORKS: LOOPBACK,
  WEBHOOK_ALLOW_NETWORKS: LOOPBACK,
  DRAIN_SECONDS: '5',
};

function secrets() {
  return { MASTER_KEY: randomBytes(32).toString('base64') };
}

async function openDatabase(closing: (() => Promise<unknown>)[]): Promise<string> {
  const { url, remove } = await startTemporaryDatabase();
  closing.push(remove);
  return url;
}

async function startApplication(config: Config, extensions: Extensions, closing: (() => Promise<unknown>)[]) {
  await migrate(config, extensions);
  const app = await createApplication(config, extensions);
  closing.push(() => app.close());
  await app.listen(config.port, config.host);
  return app;
}

/** As `namewatch account delete` does, beside the running service. */
async function deleteAsAdministrator(config: Config, extensions: Extensions, accountId: string) {
  const { accounts, close } = await openAdminContext(config, extensions);
  try {
    return await accounts.delete(accountId);
  } finally {
    await close();
  }
}

async function describe(app: NestFastifyApplication) {
  const get: TestNamewatch['get'] = (token) => app.get(token as never, { strict: false });
  const openAccount = async (plan?: string) => {
    const { account, key } = await get(AccountAdminService).openAccount('test', plan);
    return { accountId: account.id, key: key.text };
  };
  const [url, account] = [await app.getUrl(), await openAccount()];
  return {
    url,
    ...account,
    client: new TestClient(url, account.key),
    clock: MovableClock.takeOver(get(Clock)),
    openAccount,
    get,
  };
}
