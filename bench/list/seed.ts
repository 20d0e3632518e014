import pg from 'pg';

const ACCOUNTS = 200;
const ENTRIES_EACH = 1_000;

/** 200 accounts of 1 000 entries; the key's account is one of them. None is due in the time of a bench. */
export async function seed(url: string, keyId: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `insert into accounts (id, name, plan, created_at)
       select 'acc_' || lpad(a::text, 26, '0'), 'bench', 'selfhost', now() from generate_series(2, $1) a`,
      [ACCOUNTS],
    );
    await client.query(
      `insert into watched_names (domain, interval_minutes, next_check_at, last_checked_at)
       select 'name-' || n || '.test', 1440, now() + interval '1 day', now() from generate_series(1, $1) n`,
      [ACCOUNTS * ENTRIES_EACH],
    );
    await client.query(
      `insert into watch_entries (id, account_id, domain, interval_minutes, expiring_window_days, status, phase,
                                  change_seq, proven, paused, tags, intent, created_at, updated_at)
       select 'wl_' || lpad(((row_number() over ()))::text, 26, '0'), a.id,
              'name-' || ((row_number() over (order by n, a.id))) || '.test', 1440, 30,
              (array['registered', 'available', 'expiring', 'pending_delete'])[1 + n % 4], 'registered', 0, true, false,
              '{}', 'monitor', now() - make_interval(mins => n), now()
       from accounts a, generate_series(1, $1) n`,
      [ENTRIES_EACH],
    );
    await client.query('vacuum (analyze)'); // as autovacuum would have done by then
    const { rows } = await client.query<{ entries: string }>(
      `select count(*) as entries from watch_entries e join api_keys k on k.account_id = e.account_id where k.id = $1`,
      [keyId],
    );
    if (Number(rows[0]?.entries) !== ENTRIES_EACH) throw new Error('the account of the key was not filled');
  } finally {
    await client.end();
  }
}
