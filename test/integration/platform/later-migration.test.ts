import { describe, expect, it } from '@jest/globals';
import { Migration } from '@mikro-orm/migrations';
import pg from 'pg';
import { migrations } from '../../../src/migrations/index.js';
import { freshDatabase } from '../../support/database/database.js';
import { applySteps } from './migration-steps.js';

/*
 * An example of a migration after 1.0, in the steps that docs/database.md asks for: entries get a colour, which is the
 * first of their tags until somebody chooses another.
 */

/** A nullable column without a default: no row is rewritten, and a process that does not know it leaves it null. */
class Migration20270101000100EntryColours extends Migration {
  override up(): void {
    this.addSql('alter table watch_entries add column colour text');
  }
}

/** Nothing else is in the migration of a concurrent index: a crash repeats the whole migration. */
class Migration20270101000200ColourIndex extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(
      `create index concurrently if not exists watch_entries_by_colour on watch_entries (account_id, colour)`,
    );
  }
}

const LATER = [
  ...migrations,
  { name: 'Migration20270101000100EntryColours', class: Migration20270101000100EntryColours },
  { name: 'Migration20270101000200ColourIndex', class: Migration20270101000200ColourIndex },
];

/** The service fills the column in the order of ids, a few rows to a transaction, each from where the last one ended. */
const FILL = `
  with batch as (
    select id from watch_entries where id > $2 and colour is null order by id limit $1 for update skip locked),
  filled as (
    update watch_entries e set colour = coalesce(e.tags[1], 'none') from batch where e.id = batch.id returning e.id)
  select max(id) as last from filled`;
const BATCH_SIZE = 50;

/** Goes through the table until a pass finds nothing: rows that others hold come with the next pass. */
async function fillColours(client: pg.Client): Promise<void> {
  for (let isComplete = false; !isComplete;) {
    isComplete = true;
    for (let last: string | null = ''; last !== null;) {
      const filled: pg.QueryResult<{ last: string | null }> = await client.query(FILL, [BATCH_SIZE, last]);
      last = filled.rows[0]?.last ?? null;
      if (last !== null) isComplete = false;
    }
  }
}

/** The writes and reads of a process of the version before, over and over. */
const TRAFFIC = [
  `insert into watched_names (domain, interval_minutes, next_check_at) values ($1, 60, now())`,
  `insert into watch_entries (id, account_id, domain, interval_minutes,
     expiring_window_days, status, phase, change_seq,
     has_confirmed_facts, paused, tags, purpose, created_at, updated_at)
   values ($1, 'acc_1', $1, 60, 30, 'registered', 'registered', 0, false, false, '{shop}', 'acquire', now(), now())`,
  `update watch_entries set status = 'available', change_seq = change_seq + 1, updated_at = now() where id = $1`,
  `update watched_names set last_checked_at = now(), revision = revision + 1 where domain = $1`,
  `insert into events (id, account_id, type, entry_id, body, created_at) values ($1, 'acc_1', 'a', $1, '{}', now())`,
  `select id, status from watch_entries where account_id = 'acc_1' and $1 <> '' order by created_at desc, id desc limit 20`,
];
const LOCK_TIMEOUT_MS = 500;
/** A statement waits for the lock of one attempt of a step at most, or PostgreSQL refuses it. */
const LONGEST_WAIT_MS = 20 * LOCK_TIMEOUT_MS; // the machine may be busy

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`set lock_timeout = ${LONGEST_WAIT_MS}`);
  return client;
}

describe('a migration while an older process runs', () => {
  it('changes every row, and neither breaks nor blocks the older process’s statements', async () => {
    const url = await freshDatabase();
    await applySteps(url, migrations);
    const [earlier, reader, later] = await Promise.all([connect(url), connect(url), connect(url)]);
    await earlier.query(`insert into accounts values ('acc_1', 'first', 'selfhost', now())`);
    let rounds = 0;
    const serve = async () => {
      rounds += 1;
      for (const statement of TRAFFIC) await earlier.query(statement, [`name-${rounds}.test`]);
    };

    await reader.query('begin');
    await reader.query('select from watch_entries'); // holds a lock until it ends
    const work = { isDone: false };
    const blocked: string[] = [];
    const onBlocked = (sentence: string) => void blocked.push(sentence);
    const migrated = applySteps(url, LATER, { lockTimeoutMs: LOCK_TIMEOUT_MS, onBlocked })
      .then(async (applied) => {
        await fillColours(later);
        return applied;
      })
      .finally(() => (work.isDone = true));
    while (!work.isDone || rounds < 200) {
      await serve();
      if (blocked.length > 0) await reader.query('commit'); // had the step waited on, the traffic would wait with it
    }
    expect(await migrated).toBe(2);
    expect(blocked[0]).toContain('what Migration20270101000100EntryColours changes is locked by another session');

    await fillColours(later);
    const { rows } = await later.query('select colour, count(*)::int as entries from watch_entries group by colour');
    expect(rows).toEqual([{ colour: 'shop', entries: rounds }]);
    await Promise.all([earlier, reader, later].map((client) => client.end()));
  });
});
