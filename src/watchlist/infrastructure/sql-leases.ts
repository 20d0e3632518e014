import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { Config } from '../../config/config.js';
import { Statements } from '../../platform/database/sql-client.js';
import { type Batch, type HeldName, type Lease, Leases, type OperatorDue } from '../domain/leases.js';
import {
  CLAIM,
  END_UNWATCHED,
  GIVE_BACK,
  HOLD,
  OPERATORS_DUE,
  RENEW,
  SET_ASIDE,
  STARTS_TOGETHER,
} from './lease-statements.js';
import { watchedNameIn, type WatchedNameRow } from './watched-name-row.js';

/** A job has so many names at most: enough that the queue costs little, few enough that all workers have some. */
const NAMES_IN_A_BATCH = 200;

interface Claimed {
  readonly name: string;
  readonly operator: string;
  readonly starts: number;
}

@Injectable()
export class SqlLeases extends Leases {
  constructor(
    private readonly statements: Statements,
    private readonly entities: EntityManager,
    private readonly config: Config,
  ) {
    super();
  }

  operatorsDue(now: Date, routineBefore: Date = now): Promise<readonly OperatorDue[]> {
    return this.statements.run<OperatorDue>(OPERATORS_DUE, [now, routineBefore]);
  }

  async claimDue(now: Date, quotas: ReadonlyMap<string, number>, routineBefore: Date = now): Promise<Batch[]> {
    const token = randomUUID();
    const [operators, limits] = [[...quotas.keys()], [...quotas.values()]];
    const claimed = await this.statements.run<Claimed>(CLAIM, [
      ...[now, operators, limits, token, this.config.leaseSeconds, routineBefore],
    ]);
    return batchesOf(claimed, token);
  }

  async hold({ names, token }: Batch, now: Date): Promise<HeldName[]> {
    type Row = WatchedNameRow & { readonly isBoundaryPassed: boolean };
    const rows = await this.statements.run<Row>(HOLD, [names, token, this.config.leaseSeconds, now]);
    if (rows.length < names.length) await this.statements.run(END_UNWATCHED, [names, token]);
    return rows.map((row) => ({ watched: watchedNameIn(row), isBoundaryPassed: row.isBoundaryPassed }));
  }

  async renew({ names, token }: Batch): Promise<readonly string[]> {
    const held = await this.statements.run<{ domain: string }>(RENEW, [names, token, this.config.leaseSeconds]);
    return held.map(({ domain }) => domain);
  }

  async end(lease: Lease): Promise<boolean> {
    const ended = await sql`
      delete from leases where domain = ${lease.name} and token = ${lease.token} and until > now()
      returning domain`.execute(this.entities.getKysely());
    return ended.rows.length > 0;
  }

  async giveBack(batches: readonly Batch[]): Promise<void> {
    const leases = batches.flatMap(({ names, token }) => names.map((name) => ({ name, token })));
    await this.statements.run(GIVE_BACK, [leases.map(({ name }) => name), leases.map(({ token }) => token)]);
  }

  async setAside(until: Date): Promise<readonly string[]> {
    const aside = await this.statements.run<{ domain: string }>(SET_ASIDE, [until]);
    return aside.map(({ domain }) => domain);
  }
}

function batchesOf(claimed: readonly Claimed[], token: string): Batch[] {
  const isSuspect = ({ starts }: Claimed) => starts > STARTS_TOGETHER;
  const alone = claimed.filter(isSuspect).map(({ operator, name }) => ({ operator, token, names: [name] }));
  const byOperator = Map.groupBy(
    claimed.filter((claim) => !isSuspect(claim)),
    ({ operator }) => operator,
  );
  const together = [...byOperator].flatMap(([operator, claims]) => {
    const names = claims.map(({ name }) => name);
    const batches = Math.ceil(names.length / NAMES_IN_A_BATCH);
    const size = Math.ceil(names.length / batches);
    return Array.from({ length: batches }, (_, i) => ({
      operator,
      token,
      names: names.slice(i * size, (i + 1) * size),
    }));
  });
  return [...together, ...alone];
}
