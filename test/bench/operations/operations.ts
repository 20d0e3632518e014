import type pg from 'pg';
import { rounded } from '../comparison.js';
import type { Figure, RunOptions, Suite } from '../suite.js';
import { connect, throwawayPostgres } from '../postgres.js';
import { Bystanders, type Encounters } from './bystanders.js';
import type { Done } from './rss.js';
import { openFollowedAccount, seedAccount, type SeededAccount } from './seed.js';
import { Service } from './service.js';

const ENTRIES = 50_000;
/** The most that the API takes at a time. */
const MOST_IMPORTED = 100_000;
const MOST_REPLAYED = 10_000;
/** Events are the widest rows; more of them show nothing else. */
const MOST_EVENTS = 200_000;
const TENTH = 10;

interface Operation {
  readonly what: string;
  /** The amount for a whole account. */
  readonly amount: (entries: number) => number;
  /** Writes what it needs before it, and before others start. */
  readonly prepare?: () => Promise<unknown>;
  readonly run: (account: SeededAccount) => Promise<Done>;
}

interface Run extends Done, Encounters {
  readonly slowestAnswerMs: number;
}

/** Operations that touch every row of an account; `--sizes` gives the number of its entries. */
export const suite: Suite = {
  name: 'operations',
  about:
    'operations on a whole account: memory beyond what a tenth of it took, in MiB, and what others met meanwhile ' +
    'who work on the same rows',
  limitSeconds: 3_600, // with a million entries
  measure,
};

async function measure({ sizes }: RunOptions): Promise<Figure[]> {
  const entries = sizes?.[0] ?? ENTRIES;
  const url = await throwawayPostgres();
  const service = await Service.start(url);
  const database = await connect(url);
  const other = await openFollowedAccount(database);
  const observe = async (operation: Operation, account: SeededAccount): Promise<Run> => {
    await operation.prepare?.();
    const bystanders = await Bystanders.start(url, account, other.id);
    const answers = service.watchAnswers(other.key);
    const done = await operation.run(account);
    return { ...done, slowestAnswerMs: await answers(), ...(await bystanders.stop()) };
  };
  const runs = new Map<Operation, Run[]>();
  const all = operations(service, database);
  for (const label of ['tenth', 'whole'] as const) {
    const account = await seed(database, label, entries);
    for (const operation of all)
      runs.set(operation, [...(runs.get(operation) ?? []), await observe(operation, account)]);
  }
  return all.map((operation) => figure(`${operation.what} of ${operation.amount(entries)}`, runs.get(operation) ?? []));
}

async function seed(database: pg.Client, label: 'tenth' | 'whole', entries: number): Promise<SeededAccount> {
  const size = label === 'whole' ? entries : entries / TENTH;
  const most = (amount: number) => Math.min(size, label === 'whole' ? amount : amount / TENTH);
  const amounts = { entries: size, oldEvents: most(MOST_EVENTS), deliveries: most(MOST_REPLAYED) };
  const account = await seedAccount(database, label, { ...amounts, imported: most(MOST_IMPORTED) });
  await database.query('vacuum (analyze)');
  await database.query('checkpoint');
  return account;
}

function operations(service: Service, database: pg.Client): readonly Operation[] {
  const entries = (all: number) => all;
  const imported = (all: number) => Math.min(all, MOST_IMPORTED);
  const maintained = (operation: 'plan' | 'history' | 'events' | 'delete') => (account: SeededAccount) =>
    service.maintain({ operation, account: account.id });
  return [
    { what: 'export', amount: entries, run: (account) => service.export(account) },
    {
      what: 'import',
      amount: imported,
      run: async (account) => service.import(account, (await openFollowedAccount(database)).key),
    },
    { what: 'replay', amount: (all) => Math.min(all, MOST_REPLAYED), run: (account) => service.replay(account) },
    {
      what: 'plan downgrade',
      amount: entries,
      run: async (account) => {
        await database.query(`update accounts set plan = 'free' where id = $1`, [account.id]);
        return maintained('plan')(account);
      },
    },
    { what: 'history purge', amount: entries, run: maintained('history') },
    { what: 'event retention', amount: (all) => Math.min(all, MOST_EVENTS), run: maintained('events') },
    { what: 'account deletion', amount: entries, run: maintained('delete') },
    {
      what: 'purge of unwatched names',
      amount: (all) => all - imported(all) / 2,
      prepare: () =>
        database.query(
          `update watched_names set last_checked_at = now() - interval '40 days' where next_check_at is null`,
        ),
      run: maintained('history'),
    },
  ];
}

function figure(what: string, [small, big]: readonly Run[]): Figure {
  if (!small || !big) throw new Error(`${what} did not run`);
  if (big.lockWait !== null && big.lockWaitMs > 50) console.error(`  ${what}: ${big.lockWait}`);
  return {
    what,
    unit: 'MiB more than with a tenth',
    ours: big.peakMib - small.peakMib,
    baseline: null,
    ratio: null,
    besides: {
      'MiB at most': big.peakMib,
      'ms longest wait for a lock': Math.round(big.lockWaitMs),
      'ms slowest transaction of others': Math.round(big.slowestMs),
      'ms slowest answer of the API': Math.round(big.slowestAnswerMs),
      seconds: rounded(big.seconds),
      'seconds with a tenth': rounded(small.seconds),
    },
  };
}
