import { Injectable, Logger } from '@nestjs/common';
import { LeaseConfig } from '../../config/sections.js';
import { Clock, SECOND, MINUTE } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { SqlClient, type SqlStatement } from './sql-client.js';

/**
 * Brings back what lies further ahead than it ever can be, and counts its rows as `repaired`. It is repeated.
 * $1 now by the Clock, $2 a lease in seconds, $3 a minute in seconds
 */
export type PutBackRepair = SqlStatement;

/** The statement of a repair, in which every parameter has its type. */
export function putBackRepair(name: string, text: string): PutBackRepair {
  return {
    name: `put_back_${name}`,
    text: `with given as (select $1::timestamptz as now, make_interval(secs => $2::float8) as lease,
             make_interval(secs => $3::float8) as minute), repaired as (${text} returning 1)
           select count(*)::integer as repaired from repaired`,
  };
}

/** A lease of this many seconds, or of LEASE_SECONDS, ends by then at the latest. */
export function limitLeases(table: string, column: string, seconds: number | null = null): PutBackRepair {
  const latest = `now() + ${seconds === null ? 'given.lease' : `interval '${seconds} seconds'`}`;
  return putBackRepair(
    `${table}_${column}`,
    `update ${table} set ${column} = ${latest} from given where ${column} > ${latest} + interval '10 seconds'`,
  );
}

/**
 * After the database's clock was put back, leases of dead processes would last, and what is scheduled would wait, until it
 * has caught up. Repairs at the start, since it may have been put back before, and for two minutes after it was noticed.
 */
@Injectable()
export class RepairAfterPutBack {
  private readonly log = new Logger(RepairAfterPutBack.name);
  private readonly repairs: PutBackRepair[] = [];
  private readonly putBack: PutBackDetector;
  private isStarting = true;

  constructor(
    private readonly statements: SqlClient,
    private readonly clock: Clock,
    private readonly config: LeaseConfig,
    private readonly units: TimeUnits,
  ) {
    this.putBack = new PutBackDetector(clock);
  }

  register(...repairs: readonly PutBackRepair[]): void {
    this.repairs.push(...repairs);
  }

  async run(): Promise<void> {
    if (!this.putBack.wasPutBack() && !this.isStarting) return;
    for (const repair of this.repairs) await this.repair(repair);
    this.isStarting = false;
  }

  private async repair(repair: PutBackRepair): Promise<void> {
    const values = [this.clock.now(), this.config.leaseSeconds, this.units.minute / SECOND];
    const [row] = await this.statements.runFullScan<{ repaired: number }>(repair, values);
    const rows = row?.repaired ?? 0;
    if (rows > 0) this.log.warn({ what: repair.name, rows }, 'times from before the clock was put back: corrected');
  }
}

/** A move by less is a correction. */
const TOLERANCE_MS = 10 * SECOND;
/** Processes read the database's time every half minute; so long some may still write times of the clock before. */
const NOTICED_BY_ALL_MS = 2 * MINUTE;

/** Notices that the clock was put back, by the monotonic timer, if it is asked every few seconds. */
export class PutBackDetector {
  private last: { readonly nowMs: number; readonly elapsedMs: number } | null = null;
  private noticedAt = -Infinity;

  constructor(private readonly clock: Clock) {}

  /** Whether it was put back within the last two minutes. */
  wasPutBack(): boolean {
    const current = { nowMs: this.clock.now().getTime(), elapsedMs: performance.now() };
    const { last } = this;
    this.last = current;
    if (last && current.nowMs - last.nowMs < current.elapsedMs - last.elapsedMs - TOLERANCE_MS)
      this.noticedAt = current.elapsedMs;
    return current.elapsedMs - this.noticedAt < NOTICED_BY_ALL_MS;
  }
}
