import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../../src/app/migrate.js';
import { migrations } from '../../../src/migrations/index.js';
import { freshDatabase } from '../../support/database/database.js';
import { applySteps, configFor } from './migration-steps.js';

const LAST_OF_EARLIER_VERSION = 'Migration20261121000980LightLeases';
/** A statement waits for the locks of one attempt of a step at most, or PostgreSQL refuses it. */
const LONGEST_WAIT_MS = 10_000;

/** What a process of the earlier version writes and reads, over and over. */
const TRAFFIC = [
  `insert into watched_names (domain, interval_minutes, next_check_at) values ($1, 60, now())`,
  `insert into watch_entries (id, account_id, domain, interval_minutes, expiring_window_days, status, phase, change_seq,
     proven, paused, tags, intent, created_at, updated_at)
   values ($1, 'acc_1', $1, 60, 30, 'registered', 'registered', 0, false, false, '{}', 'acquire', now(), now())`,
  `update watch_entries set status = 'available', change_seq = change_seq + 1, updated_at = now() where id = $1`,
  `update watched_names set last_checked_at = now(), revision = revision + 1 where domain = $1`,
  `insert into events (id, account_id, type, entry_id, body, created_at) values ($1, 'acc_1', 'a', $1, '{}', now())`,
  `select id, status from watch_entries where account_id = 'acc_1' and $1 <> '' order by created_at desc, id desc limit 20`,
  `delete from watch_entries where id = $1`,
];

describe('migrating while a process of the previous version works', () => {
  it('fails and delays none of its statements', async () => {
    const url = await freshDatabase();
    const earlier = migrations.slice(0, migrations.findIndex(({ name }) => name === LAST_OF_EARLIER_VERSION) + 1);
    await applySteps(url, earlier);
    const client = new pg.Client(url);
    await client.connect();
    await client.query(
      `insert into accounts (id, name, plan, created_at) values ('acc_1', 'first', 'selfhost', now())`,
    );

    const migrated = { done: false };
    const migrating = migrate(configFor(url)).finally(() => (migrated.done = true));
    await client.query(`set lock_timeout = ${LONGEST_WAIT_MS}`);
    for (let round = 0; !migrated.done || round < 20; round++)
      for (const statement of TRAFFIC) {
        await client.query(statement, [`name-${round}.test`]);
      }
    expect(await migrating).toBe(migrations.length - earlier.length);
    await client.end();
  });
});
