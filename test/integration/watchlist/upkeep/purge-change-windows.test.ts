import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AccountLifecycle } from '../../../../src/auth/index.js';
import { PurgeHistory } from '../../../../src/watchlist/upkeep/purge-history.js';
import { ReportMassChanges } from '../../../../src/watchlist/records/mass-changes.js';
import { PURGE_CHANGE_WINDOWS } from '../../../../src/watchlist/records/change-windows.repository.js';
import { mostRowsRead } from '../../../support/database/rows-read.js';
import { runService } from '../run-service.js';

const { running, query, part } = runService();
beforeAll(async () => {
  // Notes how many rows each statement deletes.
  await query(`create table purged_batches (deleted int not null)`);
  await query(`create function note_batch() returns trigger language plpgsql as $$
    begin insert into purged_batches select count(*) from gone; return null; end $$`);
  for (const table of ['change_windows', 'held_changes'])
    await query(`create trigger note_batch after delete on ${table} referencing old table as gone
      for each statement execute function note_batch()`);
});
beforeEach(() => query('truncate change_windows, held_changes, purged_batches'));

/** Windows of an account that began so long ago, such as `2 hours`; the names that they hold are to be added. */
const begin = (accountId: string, windows: number, ago: string, held = 0) =>
  query(
    `insert into change_windows (id, account_id, kind, after, intent, tags, started_at, sent, held, continues)
     select $1 || ' ' || $3 || ' ' || $4::int || ' ' || n, $1, 'ds', '[]', 'own', '{}', now() - $3::interval, '{}', $4::int, false
     from generate_series(1, $2::int) n`,
    [accountId, windows, ago, held],
  );
const left = async () => (await query('select from change_windows')).rows.length;
const batches = async () => {
  const { rows } = await query<{ deleted: number }>(
    'select deleted from purged_batches where deleted > 0 order by deleted desc',
  );
  return rows.map(({ deleted }) => deleted);
};
const purge = () => part(ReportMassChanges).purge();

describe('hours in which names had the same change', () => {
  it('are purged in batches when they are over and hold no name', async () => {
    const { id } = running.service.account;
    await begin(id, 2_300, '2 hours');
    await begin(id, 3, '30 minutes');
    await begin(id, 4, '3 hours', 1);
    await begin(id, 200, '-1 day'); // begun before the clock was put back
    expect(await purge()).toBe(2_500);
    expect(await batches()).toEqual([1_000, 1_000, 500]);
    expect(await left()).toBe(7);
  });

  it('are found without reading those that are needed', async () => {
    const { id } = running.service.account;
    await begin(id, 4_000, '30 minutes');
    await begin(id, 2_000, '30 minutes', 1);
    await begin(id, 5, '2 hours');
    await query('analyze change_windows');
    const values = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 60_000)];
    expect(await mostRowsRead(running.service.databaseUrl, [{ statement: PURGE_CHANGE_WINDOWS, values }])).toBeLessThan(
      50,
    );
  });

  it('keep no history from being purged when they cannot be', async () => {
    await begin(running.service.account.id, 1, '2 hours');
    await query(`insert into watched_names (domain, operator, interval_minutes, last_checked_at)
      values ('unwatched.test', '', 60, now() - interval '60 days')`);
    await query(`create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'planted'; end $$`);
    await query(`create trigger planted before delete on change_windows
      for each statement execute function refuse()`);
    try {
      await expect(purge()).rejects.toThrow();
      expect(await part(PurgeHistory).run()).toMatchObject({ names: 1 });
    } finally {
      await query('drop function refuse cascade');
    }
  });

  it('are deleted with their account in batches, the names that they hold as well', async () => {
    const { id } = await running.service.openAccount();
    await begin(id, 450, '30 minutes');
    await begin(id, 1, '10 minutes', 450);
    await begin(running.service.account.id, 2, '30 minutes');
    await query(
      `insert into held_changes (window_id, domain)
       select id, n || '.test' from change_windows, generate_series(1, 450) n where held > 0`,
    );
    expect(await part(AccountLifecycle).delete(id)).toMatchObject({
      'held changes': 450,
      'change windows': 451,
    });
    expect(await batches()).toEqual([200, 200, 200, 200, 51, 50]);
    expect(await left()).toBe(2);
  });
});
