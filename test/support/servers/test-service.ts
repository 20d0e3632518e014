import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { AccountAdminService } from '../../../src/auth/index.js';
import { type Config, CONSTANTS, readConfig } from '../../../src/config/config.js';
import { migrate } from '../../../src/app/migrate.js';
import { createApplication } from '../../../src/app/bootstrap.js';
import { asServingUser, migratedDatabase } from '../database/database.js';
import { unlimitedBudgets } from '../builders/budgets-file.js';
import { Extensions } from '../../../src/extensions/extensions.js';
import { unlimitedPlans } from '../builders/plans-file.js';

/** One for all services of a run: some share a database. */
const MASTER_KEY = randomBytes(32).toString('base64');

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as JSON; null when there is none. */
  readonly body: Record<string, unknown>;
}

export interface Call {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The account's key, unless another is given; null sends none. */
  readonly key?: string | null | undefined;
  /** Returns the first answer, even when it says that the process is overloaded. */
  readonly once?: boolean;
}

/** A test of what one account may have at work has its own constants. */
const MANY_AT_WORK = { ...CONSTANTS, accountConcurrency: 100 };

/** The whole service in this process, on a database of its own, with one account. */
export interface TestService {
  readonly app: NestFastifyApplication;
  /** As the superuser; the service itself works as a user who only reads and writes. */
  readonly databaseUrl: string;
  readonly account: { readonly id: string; readonly key: string };
  call(call: Call): Promise<Answer>;
  /** A part of the service, by its class. */
  get<Part>(token: abstract new (...dependencies: never[]) => Part): Part;
  /** Asks its database, as the superuser. */
  query<Row extends pg.QueryResultRow = Record<string, unknown>>(
    text: string,
    values?: unknown[],
  ): Promise<pg.QueryResult<Row>>;
  openAccount(plan?: string): Promise<{ id: string; key: string }>;
  close(): Promise<void>;
}

export async function startTestService(
  settings: Readonly<Record<string, string>> = {},
  extensions = Extensions.none,
  constants = MANY_AT_WORK,
): Promise<TestService> {
  const { config, databaseUrl } = await createTestConfig(settings, constants);
  await migrate(config);
  const app = await createApplication(config, extensions);
  const get: TestService['get'] = (token) => app.get(token as never, { strict: false });
  const administration = get(AccountAdminService);
  const openAccount = async (plan?: string) => {
    const { account, key } = await administration.openAccount({ name: 'test', plan });
    return { id: account.id, key: key.text };
  };
  const account = await openAccount();
  const database = new pg.Client(databaseUrl);
  let connected: Promise<unknown> | undefined;
  return {
    app,
    get,
    query: async (text, values) => {
      await (connected ??= database.connect());
      return database.query(text, values);
    },
    databaseUrl,
    account,
    openAccount,
    call: (call) => accepted(() => inject(app, call.key === undefined ? { ...call, key: account.key } : call), call),
    close: async () => {
      if (connected) await database.end();
      await app.close();
    },
  };
}

/** The settings of a service on a database of its own. */
export async function createTestConfig(
  settings: Readonly<Record<string, string>>,
  constants = MANY_AT_WORK,
): Promise<{ config: Config; databaseUrl: string }> {
  const databaseUrl = settings['DATABASE_URL'] ?? (await serviceDatabase(settings));
  return { config: configOf(await asServingUser(databaseUrl), databaseUrl, settings, constants), databaseUrl };
}

/**
 * A database of its own as the migrations leave it, for services that share it or reach it by another way. It has the
 * queue's tables only where the queue belongs there.
 */
export function serviceDatabase(settings: Readonly<Record<string, string>> = {}): Promise<string> {
  const queue = settings['REDIS_URL'] === undefined ? 'with_queue' : 'without_queue';
  return migratedDatabase(queue, async (url) => migrate(configOf(await asServingUser(url), url, settings)));
}

function configOf(
  databaseUrl: string,
  migrationDatabaseUrl: string,
  settings: Readonly<Record<string, string>>,
  constants = MANY_AT_WORK,
): Config {
  const all = {
    MASTER_KEY,
    RDAP_BOOTSTRAP_URL: 'off',
    DNS_SERVERS: 'off', // a test that has a DNS server of its own names it
    LOOKUP_BUDGETS_FILE: unlimitedBudgets(),
    PLANS_FILE: unlimitedPlans(),
    LOG_LEVEL: 'silent',
    UI: 'off', // served only where it was built; its own tests build it
    PORT: '0',
    ...settings,
    DATABASE_URL: databaseUrl,
    MIGRATION_DATABASE_URL: migrationDatabaseUrl,
  };
  return readConfig(all, constants);
}

/**
 * A process whose machine has too much else to do answers that it is overloaded, and to try again. An upload may get
 * that code for other reasons, which a test has to see.
 */
async function accepted(ask: () => Promise<Answer>, { body, once = false }: Call): Promise<Answer> {
  for (let tried = 1; ; tried += 1) {
    const answer = await ask();
    if (answer.body['code'] !== 'overloaded' || once || typeof body === 'string' || tried === 40) return answer;
    await pause(500);
  }
}

async function inject(
  app: NestFastifyApplication,
  { method = 'GET', path, body, headers = {}, key }: Call,
): Promise<Answer> {
  const authorization: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
  const isText = typeof body === 'string' || Buffer.isBuffer(body);
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await app.inject({
    method: method as 'GET',
    url: path,
    headers: { ...type, ...authorization, ...headers },
    ...(body === undefined ? {} : { payload: isText ? body : JSON.stringify(body) }),
  });
  const isJson = /\bjson/.test(String(response.headers['content-type']));
  return {
    status: response.statusCode,
    headers: response.headers as Record<string, string>,
    body: isJson ? response.json() : { text: response.body },
  };
}
