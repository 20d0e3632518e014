import { Injectable } from '@nestjs/common';
import { SECOND } from '../../kernel/clock.js';
import type { OperatorBudget } from '../../kernel/operator-budget.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import {
  FIRST_PAUSE_MS,
  type LookupPriority,
  MAX_PAUSE_MS,
  type OpenBreaker,
  PRIORITIES,
} from '../domain/operators.js';

/**
 * Decides whether a query may be sent now. The row lock and the database's clock make the answer count for all
 * processes. Commits do not wait for the disk, because losing the last second in a crash does no harm.
 *
 * The rate limit is a GCRA (a leaky bucket): `full_at` is when the whole burst is available again. A refused query that
 * can wait reserves the next place (`kept_until`), except routine queries.
 *
 * - $2: milliseconds between two queries (0: no limit); $3: burst; $4: the part of the burst that this query may use
 * - $5: urgency (most urgent highest); $6: milliseconds that the query can wait; $7: whether the query follows a
 *   redirect
 */
const ASK = {
  name: 'registry_operator_ask',
  text: `
    with held as materialized (select * from registry_operators where operator = $1 for update),
    timed as materialized (select held.*, clock_timestamp() as now, $2::float8 * interval '1 ms' as apart from held),
    counted as (
      -- the cap keeps a clock that was put back from blocking the operator for long
      select *, least(greatest(full_at, now), now + $3::int * apart) as taken_until,
             (kept_for > $5::int and kept_until > now and kept_until < now + interval '1 minute') is true as is_kept
      from timed),
    judged as (
      select *, greatest(taken_until - ($4::int - 1) * apart, case when is_kept then kept_until end) as free_at,
             retry_at is not null as is_probe
      from counted),
    answered as (
      select *, case
          when blocked_until > now then 'block'
          when retry_at > now or (is_probe and probe_until > now and not $7::boolean) then 'breaker'
          when free_at > now then 'budget'
          else 'permit' end as answer
      from judged),
    awaited as (
      select *, extract(epoch from case answer
          when 'block' then blocked_until when 'breaker' then greatest(retry_at, probe_until) when 'budget' then free_at
          else now end - now)::float8 * 1000 as wait_ms
      from answered),
    noted as (
      select *, answer = 'permit' and (is_probe or $2::float8 > 0) as counts,
             answer = 'budget' and $5::int > 0 and wait_ms <= $6::float8 and not is_kept as keeps
      from awaited),
    written as (
      update registry_operators o set
        full_at = n.taken_until + case when counts then apart else interval '0' end,
        probe_until = case when counts and is_probe then now + interval '15 seconds' else n.probe_until end,
        kept_for = case when keeps then $5::int when not counts then n.kept_for end,
        kept_until = case when keeps then free_at + interval '250 ms' when not counts then n.kept_until end
      from noted n
      where o.operator = n.operator and (counts or keeps or n.full_at > n.taken_until))
    select answer, wait_ms as "waitMs", is_probe as "isProbe", set_config('synchronous_commit', 'off', true)
    from noted`,
};
const ADD = {
  name: 'registry_operator_add',
  text: 'insert into registry_operators (operator) values ($1) on conflict do nothing',
};
const BLOCK = {
  name: 'registry_operator_block',
  text: `update registry_operators set blocked_until = greatest(blocked_until, now() + $2::float8 * interval '1 ms')
         where operator = $1`,
};
/** Opens the breaker. While the breaker is open, late failures of earlier queries change nothing. */
const TRIP = {
  name: 'registry_operator_trip',
  text: `update registry_operators set probe_until = null, openings = openings + 1,
           breaker_open_since = coalesce(breaker_open_since, now()),
           retry_at = now() + least($2::float8 * 2 ^ least(openings, 10), $3::float8) * interval '1 ms'
         where operator = $1 and (retry_at is null or retry_at <= now()) returning retry_at as "retryAt"`,
};
const CLOSE = {
  name: 'registry_operator_close',
  text: `update registry_operators set breaker_open_since = null, retry_at = null, openings = 0, probe_until = null
         where operator = $1 and retry_at is not null returning operator`,
};
const COLUMNS = `operator, full_at as "fullAt", blocked_until as "blockedUntil", clock_timestamp() as now,
         breaker_open_since as since, retry_at as "retryAt", openings`;
const READ = {
  name: 'registry_operators_read',
  text: `select ${COLUMNS} from registry_operators where operator = any($1)`,
};
const READ_UNHEALTHY = {
  name: 'registry_operators_unhealthy',
  text: `select ${COLUMNS} from registry_operators where blocked_until > now() or retry_at is not null`,
};

export interface OperatorAnswer {
  /** `permit`, or why the query may not be sent: rate limit, Retry-After, or open circuit breaker. */
  readonly answer: 'permit' | 'budget' | 'block' | 'breaker';
  /** 0 for a permit. */
  readonly waitMs: number;
  /** Whether the query is the probe of a half-open breaker, and so decides whether the breaker closes. */
  readonly isProbe: boolean;
}

/** The state of an operator, by the database's clock. */
export interface OperatorRow {
  readonly operator: string;
  readonly now: Date;
  /** When the operator's whole burst is available again. */
  readonly fullAt: Date | null;
  readonly blockedUntil: Date | null;
  readonly openBreaker: OpenBreaker | null;
}

interface StoredRow extends Omit<OperatorRow, 'openBreaker'> {
  readonly since: Date | null;
  readonly retryAt: Date | null;
  readonly openings: number;
}

export interface AskedQuery {
  readonly priority: LookupPriority;
  readonly patienceMs: number;
  readonly isRedirect?: boolean | undefined;
}

/** Stores one row for each operator, shared by all processes. Rejects while the database is unavailable. */
@Injectable()
export class OperatorRepository {
  constructor(private readonly statements: SqlClient) {}

  async ask(
    operator: string,
    budget: OperatorBudget,
    { priority, patienceMs, isRedirect = false }: AskedQuery,
  ): Promise<OperatorAnswer> {
    const { burst } = budget;
    const limits = [msPerQuery(budget), burst, usableBurst(budget, priority)];
    const values = [operator, ...limits, urgencyOf(priority), patienceMs, isRedirect];
    for (;;) {
      const [answer] = await this.statements.run<OperatorAnswer>(ASK, values);
      if (answer) return answer;
      await this.statements.run(ADD, [operator]);
    }
  }

  /** Blocks an operator for this time. If the operator is already blocked for longer, that block stays. */
  async block(operator: string, ms: number): Promise<void> {
    await this.statements.run(BLOCK, [operator, ms]);
  }

  /** @returns until when the operator's breaker is open; null if the breaker was already open */
  async trip(operator: string): Promise<Date | null> {
    const values = [operator, FIRST_PAUSE_MS, MAX_PAUSE_MS];
    const [row] = await this.statements.run<{ readonly retryAt: Date }>(TRIP, values);
    return row?.retryAt ?? null;
  }

  /** @returns whether the operator's breaker was open */
  async close(operator: string): Promise<boolean> {
    return (await this.statements.run(CLOSE, [operator])).length > 0;
  }

  /** Returns the state of each operator. An operator that was never queried is missing. */
  async find(operators: readonly string[]): Promise<ReadonlyMap<string, OperatorRow>> {
    const rows = await this.statements.run<StoredRow>(READ, [operators]);
    return new Map(rows.map((row) => [row.operator, toRow(row)]));
  }

  /** Returns operators that are blocked, or whose breaker is not closed. */
  async findUnhealthy(): Promise<readonly OperatorRow[]> {
    return (await this.statements.run<StoredRow>(READ_UNHEALTHY)).map(toRow);
  }
}

function toRow({ since, retryAt, openings, ...row }: StoredRow): OperatorRow {
  return { ...row, openBreaker: since && retryAt ? { since, retryAt, openings } : null };
}

/** Returns a number that is higher for more urgent queries. */
export function urgencyOf(priority: LookupPriority): number {
  return PRIORITIES.length - 1 - PRIORITIES.indexOf(priority);
}

export function msPerQuery({ perSecond }: OperatorBudget): number {
  return perSecond === 0 ? 0 : SECOND / perSecond;
}

/**
 * Routine queries leave a fifth of the burst to users' checks and names that are being deleted, if the burst is at
 * least 3.
 */
export function usableBurst({ burst }: OperatorBudget, priority: LookupPriority): number {
  return priority === 'routine' && burst >= 3 ? burst - Math.ceil(burst / 5) : burst;
}
