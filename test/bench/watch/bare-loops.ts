import { availableParallelism } from 'node:os';
import type pg from 'pg';
import { type CommandChild, startCommandChild } from '../child.js';
import { connect } from '../postgres.js';
import type { Order } from './bare-loop.js';

/** The answer of this bench's registry about every name. */
const FACTS = [
  'client delete prohibited',
  'client transfer prohibited',
  'client update prohibited',
  '1997-09-15T04:00:00Z',
  '2099-09-14T04:00:00Z',
].join();

/** The baseline: a bare loop in as many processes as there are cores, with a table of its own. */
export class BareLoops {
  private constructor(
    private readonly children: readonly CommandChild<Order, number>[],
    private readonly database: pg.Client,
    private readonly registry: string,
  ) {}

  static async start(databaseUrl: string, registry: string, env: Readonly<Record<string, string>>): Promise<BareLoops> {
    const database = await connect(databaseUrl);
    const own = { ...env, DATABASE_URL: databaseUrl };
    const start = () => startCommandChild<Order, number>('watch/bare-loop.ts', own);
    const children = await Promise.all(Array.from({ length: availableParallelism() }, start));
    return new BareLoops(children, database, registry);
  }

  async watch(names: number): Promise<void> {
    await this.database.query(
      `create table names (domain text primary key, facts text not null, next_check_at timestamptz not null,
         last_checked_at timestamptz, token uuid, leased_until timestamptz not null default '-infinity')`,
    );
    await this.database.query('create index on names (next_check_at)');
    await this.database.query(
      `insert into names (domain, facts, next_check_at)
       select 'name-' || n || '.example', $1, now() + interval '1 day' from generate_series(1, $2::int) n`,
      [FACTS, names],
    );
    await this.database.query('vacuum (analyze)');
  }

  /** @returns seconds from the commit that made so many names due until the check of each is recorded */
  async checkDueNames(names: number): Promise<number> {
    await this.database.query(
      'update names set next_check_at = now() where domain in (select domain from names limit $1)',
      [names],
    );
    const began = performance.now();
    const checked = await Promise.all(this.children.map((child) => child.run({ registry: this.registry })));
    const seconds = (performance.now() - began) / 1_000;
    const all = checked.reduce((sum, count) => sum + count, 0);
    if (all !== names) throw new Error(`the bare loop checked ${all} of ${names} names`);
    return seconds;
  }
}
