import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LeaseConfig } from '../../config/sections.js';
import { Clock, SECOND, MINUTE } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { SqlClient } from './sql-client.js';
import type { SqlStatement } from './sql.js';

/** Corrects stored times that are in the future because the clock was put back. The statement may run repeatedly. */
export type PutBackRepair = SqlStatement;

/** Turns an UPDATE statement into a repair. The statement may use `given.now`, `given.lease` and `given.minute`. */
export function putBackRepair(name: string, text: string): PutBackRepair {
  return {
    name: `put_back_${name}`,
    text: `with given as (select $1::timestamptz as now, make_interval(secs => $2::float8) as lease,
             make_interval(secs => $3::float8) as minute), repaired as (${text} returning 1)
           select count(*)::integer as repaired from repaired`,
  };
}

/** Returns an SQL condition that is true for a time in the future, which was stored before the clock was put back. */
export const isAhead = (at: string) => `${at} > given.now + interval '1 minute'`;

/** Shortens time-limited locks (leases) that would end later than a new lock. A lock lasts LEASE_SECONDS by default. */
export function limitLeases(table: string, column: string, seconds: number | null = null): PutBackRepair {
  const latest = `now() + ${seconds === null ? 'given.lease' : `interval '${seconds} seconds'`}`;
  return putBackRepair(
    `${table}_${column}`,
    `update ${table} set ${column} = ${latest} from given where ${column} > ${latest} + interval '10 seconds'`,
  );
}

/**
 * Every process notices within this time that the clock was put back. Until then, some processes may write wrong times.
 */
const NOTICED_BY_ALL_MS = MINUTE;

/**
 * Corrects stored times after the database's clock was put back, so that time-limited locks (leases) of dead processes
 * do not last too long.
 */
@Injectable()
export class RepairAfterPutBack implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger(RepairAfterPutBack.name);
  private readonly repairs: PutBackRepair[] = [];
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isClosing = false;

  constructor(
    private readonly statements: SqlClient,
    private readonly clock: Clock,
    private readonly config: LeaseConfig,
    private readonly units: TimeUnits,
  ) {}

  register(...repairs: readonly PutBackRepair[]): void {
    this.repairs.push(...repairs);
  }

  onApplicationBootstrap(): void {
    // Namewatch's own processes exit when the clock is put back, so the repair runs at their next start.
    this.repairTwice();
  }

  async onModuleDestroy(): Promise<void> {
    this.isClosing = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /** Runs the repairs at once, and again after a minute, because other processes may write wrong times until then. */
  repairTwice(times = 2): void {
    clearTimeout(this.timer);
    this.running = this.running.then(async () => {
      const left = await this.run().then(
        () => times - 1,
        (error: unknown) => {
          this.log.warn(`could not look for times from before the clock was put back: ${(error as Error).message}`);
          return times;
        },
      );
      if (left > 0 && !this.isClosing) this.timer = setTimeout(() => this.repairTwice(left), NOTICED_BY_ALL_MS).unref();
    });
  }

  async run(): Promise<void> {
    for (const repair of this.repairs) if (!this.isClosing) await this.repair(repair);
  }

  private async repair(repair: PutBackRepair): Promise<void> {
    const values = [this.clock.now(), this.config.leaseSeconds, this.units.minute / SECOND];
    const [row] = await this.statements.runFullScan<{ repaired: number }>(repair, values);
    const rows = row?.repaired ?? 0;
    if (rows > 0) this.log.warn({ what: repair.name, rows }, 'times from before the clock was put back: corrected');
  }
}
