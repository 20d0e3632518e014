import pg from 'pg';
import { generateApiKey } from '../../../src/auth/index.js';
import { readConfig } from '../../../src/config/config.js';
import { migrations } from '../../../src/migrations/index.js';
import { ormOptions } from '../../../src/app/orm.js';
import { migrateDatabase } from '../../../src/platform/database/migration/migrate.js';
import { QUEUES } from '../../../src/platform/queue/queue-names.js';
import { DataDirectory } from '../../../src/process/data-directory/data-directory.js';
import { startEmbeddedPostgres } from '../../../src/process/postgres/embedded-postgres.js';

const LAST_MIGRATION = 'Migration20261121000980LightLeases';

/**
 * Fills a data directory as the version before the roles did: one superuser called namewatch, the migrations up to
 * then, and an account with a key, entries, events, a channel and deliveries that wait for their next attempt.
 * @returns the text of the key
 */
export async function makeEarlierFolder(path: string): Promise<string> {
  const directory = DataDirectory.open(path);
  const { cluster } = directory;
  const postgres = await startEmbeddedPostgres({ cluster, password: directory.databasePassword(), fast: true });
  const key = generateApiKey();
  try {
    await migrateAsBefore(postgres.url);
    await insertRows(postgres.url, key);
  } finally {
    await postgres.stop();
  }
  return key.text;
}

async function migrateAsBefore(url: string): Promise<void> {
  const last = migrations.findIndex(({ name }) => name === LAST_MIGRATION);
  const config = readConfig({ DATABASE_URL: url, MASTER_KEY: Buffer.alloc(32).toString('base64') });
  const earlier = migrations.slice(0, last + 1);
  await migrateDatabase({
    databaseUrl: url,
    migrationUrl: url,
    orm: ormOptions(config),
    migrations: earlier,
    queues: QUEUES,
  });
}

/** A transaction each for the events, as the service writes them. */
async function insertRows(url: string, key: { id: string; digest: string }): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  const run = (sql: string, ...values: string[]) => client.query(sql, values);
  await run(`insert into accounts values ('acc_1', 'first', 'selfhost', now())`);
  await run(
    `insert into api_keys (id, account_id, name, digest, scopes, created_at)
     values ($1, 'acc_1', 'first', $2, '{admin}', now())`,
    key.id,
    key.digest,
  );
  await run(`insert into watched_names (domain, interval_minutes, next_check_at)
    select format('name-%s.test', n), 60, now() + interval '1 day' from generate_series(1, 20) n`);
  await run(`insert into watch_entries (id, account_id, domain, interval_minutes, expiring_window_days, status, phase,
      change_seq, proven, paused, tags, intent, created_at, updated_at)
    select format('wl_%s', lpad(n::text, 26, '0')), 'acc_1', format('name-%s.test', n), 60, 30, 'registered',
      'registered', 1, true, false, '{}', 'acquire', now(), now() from generate_series(1, 20) n`);
  await run(`insert into notification_channels (id, account_id, type, target, canonical_target, active, event_types,
      tags, host, created_at)
    values ('nc_1', 'acc_1', 'webhook', 'https://127.0.0.1:9/', 'https://127.0.0.1:9/', true, '{}', '{}', '127.0.0.1',
      now())`);
  for (let n = 1; n <= 10; n++) {
    await run(
      `insert into events (id, account_id, type, body, created_at)
       values ($1, 'acc_1', 'watchlist.available', '{"id":"x","type":"watchlist.available","data":{}}', now())`,
      `evt_${n}`,
    );
    await run(
      `insert into deliveries (id, event_id, channel_id, state, next_attempt_at, created_at, host)
       values ($1, $2, 'nc_1', 'pending', now() + interval '1 hour', now(), '127.0.0.1')`,
      `dl_${n}`,
      `evt_${n}`,
    );
  }
  await client.end();
}
