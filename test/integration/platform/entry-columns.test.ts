import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrations } from '../../../src/migrations/index.js';
import { freshDatabase } from '../../support/database/database.js';
import { applySteps } from './migration-steps.js';

/** What comes before the step that fills the columns, and with it. */
const FILLING = migrations.findIndex(({ name }) => name.endsWith('FillEntryColumns'));
const DOMAINS = ['calm.test', 'failing.test', 'drifting.test', 'locked.test', 'xn--bcher-kva.test'];

/** Rows of a process of the version before. */
async function fill(client: pg.Client): Promise<void> {
  await client.query(`insert into accounts values ('acc_1', 'first', 'selfhost', now())`);
  await client.query(
    `insert into watched_names (domain, interval_minutes, failing_since)
     select domain, 60, case when domain in ('failing.test', 'locked.test') then now() end from unnest($1::text[]) as domain`,
    [DOMAINS],
  );
  await client.query(
    `insert into watch_entries (id, account_id, domain, interval_minutes, required_interval_minutes, expiring_window_days,
       status, phase, change_seq, has_confirmed_facts, paused, tags, purpose, expected, created_at, updated_at)
     select domain, 'acc_1', domain, 60, 60, 30, 'registered', 'registered', 0, true, false, '{}', 'own',
       case domain when 'drifting.test' then '{"nameservers":["ns1.test"]}' end, now(), now() from watched_names`,
  );
  await client.query(
    `insert into registration_records (domain, kind, value, first_seen_at, confirmed_at)
     values ('drifting.test', 'nameservers', '["ns2.test"]', now(), now())`,
  );
}

describe('the columns by which entries are found', () => {
  it('are filled for earlier entries, also of names that a transaction holds at first', async () => {
    const url = await freshDatabase();
    await applySteps(url, migrations.slice(0, 1));
    const [earlier, holder] = [new pg.Client(url), new pg.Client(url)];
    await Promise.all([earlier.connect(), holder.connect()]);
    await fill(earlier);
    await applySteps(url, migrations.slice(0, FILLING));

    await holder.query(`begin; select from watched_names where domain = 'locked.test' for update`);
    const migrated = applySteps(url, migrations.slice(0, FILLING + 1));
    const read = async () =>
      (
        await earlier.query<{ id: string }>(
          'select id, failing, drifted, searched_text from watch_entries where failing or drifted or searched_text is not null order by id',
        )
      ).rows;
    while ((await read()).length < 3) await earlier.query('select pg_sleep(0.01)');
    await holder.query('commit');
    expect(await migrated).toBe(1);
    expect(await read()).toEqual([
      { id: 'drifting.test', failing: false, drifted: true, searched_text: null },
      { id: 'failing.test', failing: true, drifted: false, searched_text: null },
      { id: 'locked.test', failing: true, drifted: false, searched_text: null },
      { id: 'xn--bcher-kva.test', failing: false, drifted: false, searched_text: 'bücher.test' },
    ]);

    await earlier.query(`update watched_names set failing_since = null where domain = 'failing.test'`);
    await earlier.query(`update watched_names set failing_since = now() where domain = 'calm.test'`);
    await earlier.query(`update registration_records set last_seen_at = now()`);
    expect((await read()).map(({ id }) => id)).toEqual(['calm.test', 'locked.test', 'xn--bcher-kva.test']);
    await Promise.all([earlier.end(), holder.end()]);
  });
});
