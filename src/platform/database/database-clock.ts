import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { uptime } from 'node:os';
import { after, Clock, isFromFuture, MINUTE, SECOND } from '../../kernel/clock.js';
import { SqlClient } from './sql-client.js';

/** Reads the database's time and the time of its last jump as numbers, since a JavaScript Date has no microseconds. */
const NOW = {
  name: 'clock_now',
  text: `select extract(epoch from clock_timestamp())::float8 * 1000 as "nowMs",
           (select extract(epoch from steady_since)::float8 * 1000 from database_state) as "steadySinceMs"`,
};
const RESYNC_INTERVAL_MS = MINUTE / 2;
/** At the start, the clock repeats a reading that takes longer than this, since a slow reading is inexact. */
const QUICK_READING_MS = 5;
const MAX_READINGS_AT_START = 5;
/** After a reading that takes longer than this, the next reading follows in one second instead of thirty. */
const SLOW_READING_MS = 100;
/** How far two monotonic timers may drift apart: 100 µs each second. */
const DRIFT = 100e-6;
/** Warns if the clocks of machine and database differ by more than this. TLS and logs use the machine's clock. */
const LOGGED_DIFFERENCE_MS = 2 * SECOND;
/** A reading that moves the time by less than this is a normal correction and is not logged. */
const LOGGED_STEP_MS = SECOND;
/** A larger move means that earlier times were wrong, so `firstStep` and `afterEachStep` report the move. */
const REPORTED_STEP_MS = 10 * SECOND;
/**
 * Stores $1, the time of the last jump ahead. Replaces a stored time over a minute after $1, which is from before the
 * clock was put back.
 */
const KEEP_STEP = {
  name: 'clock_keep_step',
  text: `update database_state set steady_since = case
           when steady_since > $1::timestamptz + interval '1 minute' then $1
           else greatest(steady_since, $1) end`,
};
/** If the machine's clock moves this far from the monotonic timer, the machine slept or its clock was set. */
const NOTICED_STEP_MS = 2 * SECOND;

/** Keeps the database's time, so that processes on machines with different clocks agree. */
@Injectable()
export class DatabaseClock extends Clock implements OnModuleInit, OnModuleDestroy {
  private readonly log = new Logger(DatabaseClock.name);
  /** The database's time minus the monotonic timer. */
  private offsetMs: number | null = null;
  private readAtMs = 0;
  /** The machine's clock and the machine's uptime, each minus the monotonic timer. */
  private machineMs = Date.now() - performance.now();
  private uptimeMs = this.readUptimeMs() - performance.now();
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;
  private lastStepAhead: Date | null = null;
  private readonly stepped = Promise.withResolvers<number>();
  private onStep: () => void = () => undefined;
  private loggedDifferenceMs = 0;

  constructor(private readonly sqlClient: SqlClient) {
    super();
  }

  now(): Date {
    const elapsedMs = performance.now();
    const machineMs = Date.now() - elapsedMs;
    if (Math.abs(machineMs - this.machineMs) > NOTICED_STEP_MS) this.addTimeSlept(machineMs, elapsedMs);
    return new Date(Math.floor((this.offsetMs ?? machineMs) + elapsedMs));
  }

  override steadySince(): Date | null {
    const { lastStepAhead } = this;
    return lastStepAhead && isFromFuture(lastStepAhead, this.now()) ? null : lastStepAhead;
  }

  /** Resolves when a reading first moves the time by more than ten seconds, with the milliseconds of the move. */
  get firstStep(): Promise<number> {
    return this.stepped.promise;
  }

  /** Calls `call` after each reading that moves the time by more than ten seconds. */
  afterEachStep(call: () => void): void {
    this.onStep = call;
  }

  async onModuleInit(): Promise<void> {
    let tookMs = await this.read();
    for (let n = 1; n < MAX_READINGS_AT_START && tookMs > QUICK_READING_MS; n += 1) tookMs = await this.read();
    this.readAgainAfter(tookMs);
  }

  onModuleDestroy(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  /** Returns the machine's uptime in milliseconds, which the system rounds to multiples of ten or more. */
  protected readUptimeMs(): number {
    return uptime() * SECOND;
  }

  /** The uptime counts time asleep, unlike the monotonic timer, and ignores changes of the machine's clock. */
  private addTimeSlept(machineMs: number, elapsedMs: number): void {
    const uptimeMs = this.readUptimeMs() - elapsedMs;
    const sleptMs = uptimeMs - this.uptimeMs;
    [this.machineMs, this.uptimeMs] = [machineMs, uptimeMs];
    if (this.offsetMs === null || sleptMs < NOTICED_STEP_MS) return;
    this.offsetMs += sleptMs;
    this.resynchroniseAfter(0);
  }

  private readAgainAfter(tookMs: number): void {
    this.resynchroniseAfter(tookMs > SLOW_READING_MS ? SECOND : RESYNC_INTERVAL_MS);
  }

  private resynchroniseAfter(delayMs: number): void {
    clearTimeout(this.timer);
    if (!this.isClosed) this.timer = setTimeout(() => void this.resynchronise(), delayMs).unref();
  }

  private async resynchronise(): Promise<void> {
    const before = this.offsetMs ?? 0;
    let tookMs = 0;
    try {
      tookMs = await this.read();
    } catch (error) {
      this.log.warn(`could not read the database's time, keeping the last offset: ${(error as Error).message}`);
    }
    const byMs = Math.round((this.offsetMs ?? 0) - before);
    // Stores the time of the next reading, because other processes may use the old time until then.
    if (byMs >= LOGGED_STEP_MS) await this.keepStepAhead(after(this.now(), RESYNC_INTERVAL_MS));
    if (Math.abs(byMs) >= LOGGED_STEP_MS) this.log.warn({ byMs }, "clock moved to the database's time");
    if (Math.abs(byMs) > REPORTED_STEP_MS) {
      this.stepped.resolve(byMs);
      this.onStep();
    }
    this.readAgainAfter(tookMs);
  }

  private async keepStepAhead(steadySince: Date): Promise<void> {
    this.lastStepAhead = steadySince;
    await this.sqlClient
      .run(KEEP_STEP, [steadySince])
      .catch((error: unknown) => this.log.warn(`could not store that the clock was put forward: ${String(error)}`));
  }

  /** Logs how far the machine's clock differs from the database's, and again each time the difference has doubled. */
  private warnOfDifference(): void {
    const byMs = Date.now() - this.now().getTime();
    if (Math.abs(byMs) <= LOGGED_DIFFERENCE_MS) this.loggedDifferenceMs = 0;
    if (Math.abs(byMs - this.loggedDifferenceMs) <= Math.max(LOGGED_DIFFERENCE_MS, Math.abs(this.loggedDifferenceMs)))
      return;
    this.loggedDifferenceMs = byMs;
    const aheadSeconds = Math.round(byMs / SECOND);
    this.log.warn(
      { aheadSeconds },
      "this machine's clock is not PostgreSQL's: the service goes by PostgreSQL's, TLS and log lines by the machine's",
    );
  }

  /** Reads the database's time and sets this clock. Returns how many milliseconds the query took. */
  private async read(): Promise<number> {
    const startedAtMs = performance.now();
    const [row] = await this.sqlClient.run<{ nowMs: number; steadySinceMs: number | null }>(NOW);
    if (!row) throw new Error('the database returned no time');
    if (row.steadySinceMs) this.lastStepAhead = new Date(row.steadySinceMs);
    const endedAtMs = performance.now();
    // Takes the answer as the time when the query began, so that this clock is not behind the database's.
    const [leastMs, mostMs] = [row.nowMs - endedAtMs, row.nowMs - startedAtMs];
    const latestMs = this.offsetMs === null ? mostMs : this.offsetMs + (endedAtMs - this.readAtMs) * DRIFT;
    const isBehind = latestMs < leastMs; // the database's time stepped, or this machine slept
    this.offsetMs = isBehind ? mostMs : Math.min(latestMs, mostMs);
    this.readAtMs = endedAtMs;
    this.warnOfDifference();
    return endedAtMs - startedAtMs;
  }
}
