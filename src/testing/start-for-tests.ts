import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Type } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openAdminContext } from '../app/admin.js';
import { createApplication } from '../app/bootstrap.js';
import { migrate } from '../app/migrate.js';
import { AccountAdminService } from '../auth/index.js';
import { type Config, readConfig } from '../config/config.js';
import type { BackgroundTask } from '../extensions/background-task.js';
import { ExtensionTasks } from '../extensions/extension-tasks.js';
import type { Extension } from '../extensions/extension.js';
import type { Extensions } from '../extensions/extensions.js';
import { loadExtensions } from '../extensions/load-extensions.js';
import { Clock } from '../kernel/clock.js';
import { FakeRegistry } from './fake-registry.js';
import { MovableClock } from './movable-clock.js';
import { startTemporaryDatabase } from './temporary-database.js';

export interface TestOptions {
  readonly extensions?: readonly Extension[];
  /**
   * Settings by environment variable; the real environment is ignored. An empty database in `DATABASE_URL` replaces the
   * temporary database.
   */
  readonly settings?: Readonly<Record<string, string>>;
  /** The top-level domains of the fake registry. The default is `test`. */
  readonly tlds?: readonly string[];
}

/** The whole service in this process, with its own database, for one test file. */
export interface TestNamewatch {
  /** The base URL of the API, such as `http://127.0.0.1:41234`. */
  readonly url: string;
  /** An API key with all scopes. Its account has the default plan. */
  readonly key: string;
  readonly accountId: string;
  /** Calls the API with `key`. */
  readonly client: TestClient;
  readonly clock: MovableClock;
  readonly registry: FakeRegistry;
  readonly databaseUrl: string;
  openAccount(plan?: string): Promise<{ readonly accountId: string; readonly key: string }>;
  /** Deletes an account and its data. @returns how many rows of each kind were deleted */
  deleteAccount(accountId: string): Promise<Readonly<Record<string, number>>>;
  /** Returns a provider of the service or of an extension, such as `EntityManager`. */
  get<Provider>(token: Type<Provider> | (abstract new (...dependencies: never[]) => Provider) | string): Provider;
  /** Runs a task of an extension. In tests, tasks do not run on a schedule. @throws what the task throws */
  runTask(task: Type<BackgroundTask>): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the service with a fake registry on loopback. The second lookup, which confirms a change, follows after one
 * second.
 * @throws InvalidConfigurationError if the settings are invalid
 */
export async function startForTests(options: TestOptions = {}): Promise<TestNamewatch> {
  const { extensions = [], settings = {}, tlds = ['test'] } = options;
  const closing = new AsyncDisposableStack();
  const close = () => closing.disposeAsync();
  try {
    const registry = await FakeRegistry.start();
    closing.defer(() => registry.stop());
    const databaseUrl = settings['DATABASE_URL'] ?? (await openDatabase(closing));
    const config = readConfig({
      ...DEFAULTS,
      RDAP_OVERRIDES: tlds.map((tld) => `${tld}=${registry.url}`).join(),
      MASTER_KEY: randomBytes(32).toString('base64'),
      ...settings,
      DATABASE_URL: databaseUrl,
    });
    const loaded = await loadExtensions(config, extensions);
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

async function openDatabase(closing: AsyncDisposableStack): Promise<string> {
  const { url, remove } = await startTemporaryDatabase();
  closing.defer(remove);
  return url;
}

async function startApplication(config: Config, extensions: Extensions, closing: AsyncDisposableStack) {
  await migrate(config, extensions);
  const app = await createApplication(config, extensions, { schedulesTasks: false });
  closing.defer(() => app.close());
  await app.listen(config.port, config.host);
  return app;
}

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
    const { account, key } = await get(AccountAdminService).openAccount({ name: 'test', plan });
    return { accountId: account.id, key: key.text };
  };
  const [url, account] = [await app.getUrl(), await openAccount()];
  return {
    url,
    ...account,
    client: new TestClient(url, account.key),
    clock: MovableClock.takeOver(get(Clock)),
    openAccount,
    runTask: (task: Type<BackgroundTask>) => get(ExtensionTasks).runNow(task),
    get,
  };
}

/** A response of the API, with its body parsed. */
export interface TestResponse<Body> {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body, a string if the body is not JSON, or null if there is no body. */
  readonly body: Body;
}

/** Sends a request. The test chooses `Body` as the type of the response body, which is not checked. */
type Send = <Body = Record<string, unknown>>(path: string, body?: unknown) => Promise<TestResponse<Body>>;

/** Calls the API with JSON and the key of an account. */
export class TestClient {
  constructor(
    readonly url: string,
    /** The Bearer key of each request, or null to send none. */
    readonly key: string | null,
  ) {}

  readonly get: Send = (path) => this.send('GET', path);
  readonly post: Send = (path, body) => this.send('POST', path, body);
  readonly put: Send = (path, body) => this.send('PUT', path, body);
  readonly patch: Send = (path, body) => this.send('PATCH', path, body);
  readonly delete: Send = (path, body) => this.send('DELETE', path, body);

  /** Returns a client with another key for the same service. */
  withKey(key: string | null): TestClient {
    return new TestClient(this.url, key);
  }

  /** Sends a request. @param headers added to the default headers; a header given here replaces the default */
  async send<Body>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TestResponse<Body>> {
    const response = await fetch(new URL(path, this.url), {
      method,
      headers: {
        ...(this.key === null ? {} : { authorization: `Bearer ${this.key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parse(text) as Body };
  }
}

function parse(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
}

const INTERVAL_MS = 20;

/**
 * Calls the condition repeatedly, and returns the first result that is not false, null or undefined.
 * @throws Error after `timeoutMs`
 */
export async function until<Value>(
  condition: () => Promise<Value> | Value,
  { timeoutMs = 20_000 }: { readonly timeoutMs?: number } = {},
): Promise<Exclude<Value, false | null | undefined>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value !== false && value !== null && value !== undefined)
      return value as Exclude<Value, false | null | undefined>;
    if (performance.now() > deadline) throw new Error(`not so within ${timeoutMs} ms: ${condition.toString()}`);
    await pause(INTERVAL_MS);
  }
}
