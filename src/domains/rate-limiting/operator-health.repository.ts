import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import type { OpenBreaker } from '../domain/lookup/circuit-breaker.js';

/** Whether an operator may be asked; both null: yes. */
export interface OperatorHealth {
  readonly blockedUntil: Date | null;
  readonly openBreaker: OpenBreaker | null;
}

interface Row {
  readonly operator: string;
  readonly blocked_until: Date | null;
  readonly breaker_open_since: Date | null;
  readonly retry_at: Date | null;
  readonly openings: number;
}

const SELECT_UNHEALTHY = {
  name: 'registry_operators_read',
  text: `select operator, blocked_until, breaker_open_since, retry_at, openings from registry_operators
         where blocked_until > $1 or retry_at is not null`,
};
const SAVE_BLOCK = {
  name: 'registry_operator_block',
  text: `insert into registry_operators as o (operator, blocked_until) values ($1, $2)
         on conflict (operator) do update set blocked_until = greatest(o.blocked_until, excluded.blocked_until)`,
};
const TRIP_BREAKER = {
  name: 'registry_operator_trip',
  text: `insert into registry_operators as o (operator, breaker_open_since, retry_at, openings) values ($1, $2, $3, $4)
         on conflict (operator) do update set probe_until = null, openings = excluded.openings,
           breaker_open_since = least(o.breaker_open_since, excluded.breaker_open_since),
           retry_at = greatest(o.retry_at, excluded.retry_at)`,
};
const RESET_BREAKER = {
  name: 'registry_operator_reset',
  text: `update registry_operators set breaker_open_since = null, retry_at = null, openings = 0, probe_until = null
         where operator = $1`,
};
/** A probe whose process crashed may be claimed again after 15 seconds. */
const CLAIM_PROBE = {
  name: 'registry_operator_probe',
  text: `update registry_operators set probe_until = $2::timestamptz + interval '15 seconds'
         where operator = $1 and retry_at <= $2 and (probe_until is null or probe_until < $2) returning operator`,
};

/** Operator health in PostgreSQL. */
@Injectable()
export class OperatorHealthRepository {
  constructor(
    private readonly statements: SqlClient,
    private readonly clock: Clock,
  ) {}

  async findUnhealthy(): Promise<Map<string, OperatorHealth>> {
    const rows = await this.statements.run<Row>(SELECT_UNHEALTHY, [this.clock.now()]);
    return new Map(rows.map((row) => [row.operator, toHealth(row)]));
  }

  async saveBlock(operator: string, until: Date): Promise<void> {
    await this.statements.run(SAVE_BLOCK, [operator, until]);
  }

  async tripBreaker(operator: string, { since, retryAt, openings }: OpenBreaker): Promise<void> {
    await this.statements.run(TRIP_BREAKER, [operator, since, retryAt, openings]);
  }

  async resetBreaker(operator: string): Promise<void> {
    await this.statements.run(RESET_BREAKER, [operator]);
  }

  async claimProbe(operator: string): Promise<boolean> {
    return (await this.statements.run(CLAIM_PROBE, [operator, this.clock.now()])).length > 0;
  }
}

/** Where the health of operators is kept. */
export type HealthStore = Pick<OperatorHealthRepository, keyof OperatorHealthRepository>;

function toHealth({ blocked_until, breaker_open_since, retry_at, openings }: Row): OperatorHealth {
  const openBreaker =
    breaker_open_since && retry_at ? { since: breaker_open_since, retryAt: retry_at, openings } : null;
  return { blockedUntil: blocked_until, openBreaker };
}
