import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { LeaseConfig } from '../../config/sections.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { type LeaseBatch, type LeasedName, type Lease, LeaseRepository, type OperatorDue } from './lease-repository.js';
import {
  CLAIM,
  IS_ANY_DROPPING,
  RELEASE_UNWATCHED,
  RELEASE,
  START,
  SELECT_DUE_OPERATORS,
  RENEW,
  POSTPONE_POISON_NAMES,
  MAX_STARTS_IN_SHARED_BATCH,
} from './leases.sql.js';
import { WatchedName } from '../domain/watched-name.js';
import { watchedNameColumns } from '../mappings.js';
import { RoutineFronts } from './routine-fronts.js';

/** Large enough to keep the queue cheap, small enough to share the names among all workers. */
const MAX_BATCH_SIZE = 200;

interface OperatorDueRow extends OperatorDue {
  readonly hasExpired: boolean;
}

interface ClaimedRow {
  readonly name: string;
  readonly operator: string;
  readonly starts: number;
  /** Otherwise another scheduler took it at the same time. */
  readonly isOurs: boolean;
}

interface LeasedRow extends Record<string, unknown> {
  readonly isBoundaryPassed: boolean;
}

@Injectable()
export class PostgresLeaseRepository extends LeaseRepository {
  private readonly fronts = new RoutineFronts();

  constructor(
    private readonly statements: SqlClient,
    private readonly entities: EntityManager,
    private readonly config: LeaseConfig,
  ) {
    super();
  }

  async findOperatorsDue(now: Date, routineBefore: Date = now): Promise<readonly OperatorDue[]> {
    const fronts = this.fronts.begin();
    const due = await this.statements.run<OperatorDueRow>(SELECT_DUE_OPERATORS, [
      ...[now, routineBefore, [...fronts.keys()], [...fronts.values()]],
    ]);
    this.fronts.forget(due.filter(({ hasExpired }) => hasExpired).map(({ operator }) => operator));
    return due.map(({ operator, inFlight }) => ({ operator, inFlight }));
  }

  async claimDue(now: Date, quotas: ReadonlyMap<string, number>, routineBefore: Date = now): Promise<LeaseBatch[]> {
    const token = randomUUID();
    const [operators, limits] = [[...quotas.keys()], [...quotas.values()]];
    const since = operators.map((one) => this.fronts.of(one) ?? '-infinity');
    const found = await this.statements.run<ClaimedRow>(CLAIM, [
      ...[now, operators, limits, token, this.config.leaseSeconds, routineBefore, since],
    ]);
    const byOperator = Map.groupBy(found, ({ operator }) => operator);
    for (const [operator, quota] of quotas)
      this.fronts.advance({ operator, quota, found: byOperator.get(operator)?.length ?? 0 }, now, routineBefore);
    return groupIntoBatches(
      found.filter(({ isOurs }) => isOurs),
      token,
    );
  }

  async isAnyDropping(names: readonly string[]): Promise<boolean> {
    const [row] = await this.statements.run<{ found: boolean }>(IS_ANY_DROPPING, [names]);
    return row?.found === true;
  }

  async start({ names, token }: LeaseBatch, now: Date): Promise<LeasedName[]> {
    const rows = await this.statements.run<LeasedRow>(START, [names, token, this.config.leaseSeconds, now]);
    if (rows.length < names.length) await this.statements.run(RELEASE_UNWATCHED, [names, token]);
    return rows.map((row) => ({
      watchedName: WatchedName.restore(watchedNameColumns.toFields(row)),
      isBoundaryPassed: row.isBoundaryPassed,
    }));
  }

  async renew({ names, token }: LeaseBatch): Promise<readonly string[]> {
    const renewed = await this.statements.run<{ domain: string }>(RENEW, [names, token, this.config.leaseSeconds]);
    return renewed.map(({ domain }) => domain);
  }

  async end(lease: Lease): Promise<boolean> {
    const deleted = await sql`
      delete from leases where domain = ${lease.name} and token = ${lease.token} and until > now()
      returning domain`.execute(this.entities.getKysely());
    return deleted.rows.length > 0;
  }

  async release(batches: readonly LeaseBatch[]): Promise<void> {
    this.fronts.forget(batches.map(({ operator }) => operator));
    const leases = batches.flatMap(({ names, token }) => names.map((name) => ({ name, token })));
    await this.statements.run(RELEASE, [leases.map(({ name }) => name), leases.map(({ token }) => token)]);
  }

  async postponePoisonNames(until: Date): Promise<readonly string[]> {
    const postponed = await this.statements.run<{ domain: string }>(POSTPONE_POISON_NAMES, [until]);
    return postponed.map(({ domain }) => domain);
  }
}

function groupIntoBatches(claimed: readonly ClaimedRow[], token: string): LeaseBatch[] {
  const hasUnfinishedStart = ({ starts }: ClaimedRow) => starts > MAX_STARTS_IN_SHARED_BATCH;
  const single = claimed.filter(hasUnfinishedStart).map(({ operator, name }) => ({ operator, token, names: [name] }));
  const byOperator = Map.groupBy(
    claimed.filter((claim) => !hasUnfinishedStart(claim)),
    ({ operator }) => operator,
  );
  const shared = [...byOperator].flatMap(([operator, claims]) => {
    const names = claims.map(({ name }) => name);
    const batches = Math.ceil(names.length / MAX_BATCH_SIZE);
    const size = Math.ceil(names.length / batches);
    return Array.from({ length: batches }, (_, i) => ({
      operator,
      token,
      names: names.slice(i * size, (i + 1) * size),
    }));
  });
  return [...shared, ...single];
}
