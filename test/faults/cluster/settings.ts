import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateApiKey } from '../../../src/auth/domain/api-key.js';

/** An interval of five minutes takes five seconds. */
const TIME_SCALE = 60;
export const LEASE_SECONDS = 5;
/** The shortest that a plan allows: each name is checked every five seconds. */
export const INTERVAL_MINUTES = 5;

const PLAN = { channels: 0, requests_per_minute: 0 };

const LOOPBACK = '127.0.0.0/8';

export interface Environment {
  readonly folder: string;
  readonly databaseUrl: string;
  /** null: the queue is in PostgreSQL. */
  readonly redisUrl: string | null;
  /** Registries and the mail server. */
  readonly elsewhere: Readonly<Record<string, string>>;
  /** PEM of the receivers' certificate authority. */
  readonly authority: string;
  /** Limits of the plan of every account. */
  readonly plan?: object;
}

/** The settings of every process of a run, and the key of its first account. */
export function createSettings({ folder, databaseUrl, redisUrl, elsewhere, authority, plan = PLAN }: Environment) {
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const key = generateApiKey().text;
  const { PATH = '', HOME = '' } = process.env;
  const settings: Record<string, string> = {
    PATH,
    HOME,
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    UV_THREADPOOL_SIZE: '16',
    DATABASE_URL: databaseUrl,
    ...(redisUrl === null ? {} : { REDIS_URL: redisUrl }),
    MASTER_KEY: randomBytes(32).toString('base64'),
    BOOTSTRAP_API_KEY: key,
    TIME_SCALE: String(TIME_SCALE),
    LEASE_SECONDS: String(LEASE_SECONDS),
    // longer than the `gone` fault lasts
    CONFIRMATION_SECONDS: '90',
    RDAP_BOOTSTRAP_URL: 'off',
    LOOKUP_ALLOW_NETWORKS: LOOPBACK,
    WEBHOOK_ALLOW_NETWORKS: LOOPBACK,
    ...elsewhere,
    // a dead process keeps its concurrency slots for 15 s: there are enough for the other processes
    LOOKUP_BUDGETS_FILE: file('budgets.json', '{"default":{"per_second":0,"burst":100,"concurrency":64}}'),
    PLANS_FILE: file('plans.json', JSON.stringify({ selfhost: plan })),
    WEBHOOK_CA_FILE: file('authority.pem', authority),
    LOG_LEVEL: 'warn',
    LOG_FORMAT: 'json',
  };
  return { settings, key };
}
