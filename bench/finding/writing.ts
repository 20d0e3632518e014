import pg from 'pg';
import { median, rounded } from '../comparison.js';
import type { Figure } from '../suite.js';
import { TOGETHER } from './long-watchlists.js';

const ROWS = 10_000;
/** What lists are searched and counted with; the transaction that drops it is rolled back. */
const WITHOUT_FINDING = `
  drop index watch_entries_searched, watch_entries_with_long_text, watch_entries_needing_action,
    watch_entries_expiring;
  drop trigger set_entry_searched_text on watch_entries;
  drop trigger set_entry_drifted on watch_entries`;
const WRITES = {
  'adding entries': `
    insert into watch_entries (id, account_id, domain, interval_minutes, expiring_window_days,
      status, phase, change_seq, has_confirmed_facts, paused, tags, note, intent, created_at, updated_at)
    select 'new' || n, ${TOGETHER}, 'added-' || n || '.test', 1440, 30, 'registered', 'registered', 0, false, false,
      '{brand,client-a}', 'Contract ' || n, 'own', now(), now() from generate_series(1, ${ROWS}) n`,
  'changing their status': `update watch_entries set status = 'expiring', phase = 'expiring' where id like 'new%'`,
  'changing their notes': `update watch_entries set note = note || ', renewed' where id like 'new%'`,
} as const;
const NAMES = `insert into watched_names (domain, operator, interval_minutes)
  select 'added-' || n || '.test', 'bench', 1440 from generate_series(1, ${ROWS}) n`;

/** What writes pay for finding: the same statements with and without its indexes and triggers. */
export async function writing(url: string, size: number, rounds: number): Promise<Figure[]> {
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  const [ours, baseline]: Record<string, number>[][] = [[], []];
  for (let round = 0; round <= rounds; round += 1) {
    const pair = [await timed(database, ''), await timed(database, WITHOUT_FINDING)] as const;
    if (round === 0) continue; // reads what was not read before
    ours?.push(pair[0]);
    baseline?.push(pair[1]);
  }
  await database.end();
  return Object.keys(WRITES).map((what) => {
    const [a, b] = [ours, baseline].map((times = []) => rounded(median(times.map((time) => time[what] ?? NaN))));
    const about = { what: `${what}, ${ROWS} in a statement, among ${size}`, unit: 'ms' };
    return {
      ...about,
      ours: a ?? NaN,
      baseline: b ?? NaN,
      ratio: rounded((a ?? NaN) / (b ?? NaN)),
      besides: { rounds },
    };
  });
}

async function timed(database: pg.Client, before: string): Promise<Record<string, number>> {
  const took: Record<string, number> = {};
  await database.query(`begin; ${before}; ${NAMES}`);
  for (const [what, text] of Object.entries(WRITES)) {
    const start = performance.now();
    await database.query(text);
    took[what] = performance.now() - start;
  }
  await database.query('rollback');
  return took;
}
