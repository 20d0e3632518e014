import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { uptime } from 'node:os';
import { after, Clock, isFromFuture, MINUTE, SECOND } from '../../kernel/clock.js';
import { SqlClient } from './sql-client.js';

/** A number: a Date would drop the microseconds, and the clock be behind by them. */
const NOW = {
  name: 'clock_now',
  text: `select extract(epoch from clock_timestamp())::float8 * 1000 as "nowMs",
           (select extract(epoch from steady_since)::float8 * 1000 from database_state) as "steadySinceMs"`,
};
const RESYNC_INTERVAL_MS = MINUTE / 2;
/** While a process starts it is often busy, and so are its readings: they are repeated until one is this quick. */
const QUICK_READING_MS = 5;
const MAX_READINGS_AT_START = 5;
/** After a slower reading, the next follows in a second. */
const SLOW_READING_MS = 100;
/** Two monotonic timers may drift apart by so much: 100 µs each second. */
const DRIFT = 100e-6;
/** Certificates are valid, and lines of the log dated, by the machine's clock: a larger difference is worth a line. */
const LOGGED_DIFFERENCE_MS = 2 * SECOND;
/** A move by less is a correction, not a step. */
const LOGGED_STEP_MS = SECOND;
/** A step by more leaves behind what no process can go on with: it is reported. */
const REPORTED_STEP_MS = 10 * SECOND;
/** For processes that start, or have not noticed. One from a clock that was put back since says nothing. */
const KEEP_STEP = {
  name: 'clock_keep_step',
  text: `update database_state set steady_since = case
           when steady_since > $1::timestamptz + interval '1 minute' then $1
           else greatest(steady_since, $1) end`,
};
/** The clock of the machine and the monotonic timer part by more when the machine slept, or when its clock was set. */
const NOTICED_STEP_MS = 2 * SECOND;

/**
 * The database's time, so that processes on machines with different clocks agree. Between two readings it advances with
 * the monotonic timer, which ignores steps of the machine's clock.
 *
 * The database reads its time somewhere between the beginning and the end of a reading, which a frozen process or a slow
 * database can draw out for seconds. The clock takes the latest time that all readings allow, so that it is never behind:
 * a registry's answer is not dated before the registry was asked. It is ahead by at most the quickest reading's duration.
 *
 * The monotonic timer stands still while the machine sleeps, and what was read before must not pass as read just now:
 * the time slept is added at the first look at the clock, from the machine's uptime, which counts it.
 */
@Injectable()
export class DatabaseClock extends Clock implements OnModuleInit, OnModuleDestroy {
  private readonly log = new Logger(DatabaseClock.name);
  /** The database's time minus that of the monotonic timer. */
  private offsetMs: number | null = null;
  private readAtMs = 0;
  /** The machine's clock and its uptime, each minus the monotonic timer. */
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

  /** Resolves with by how many milliseconds the database's clock stepped, once it did by more than ten seconds. */
  get firstStep(): Promise<number> {
    return this.stepped.promise;
  }

  /** Called after each step by more than ten seconds. */
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

  /** Returns milliseconds, with a precision of ten at best. */
  protected readUptimeMs(): number {
    return uptime() * SECOND;
  }

  /** A clock that was set has slept for nothing. */
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

  /** Replaces what was planned: a reading under way and the end of a sleep both plan the next one. */
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
    if (byMs >= LOGGED_STEP_MS) await this.keepStepAhead(after(this.now(), RESYNC_INTERVAL_MS)); // then all processes know
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

  /** A difference that grows, since the machine's clock stands still, is a line whenever it has doubled. */
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

  /** Returns how long the reading took, in milliseconds. */
  private async read(): Promise<number> {
    const startedAtMs = performance.now();
    const [row] = await this.sqlClient.run<{ nowMs: number; steadySinceMs: number | null }>(NOW);
    if (!row) throw new Error('the database returned no time');
    if (row.steadySinceMs) this.lastStepAhead = new Date(row.steadySinceMs);
    const endedAtMs = performance.now();
    const [leastMs, mostMs] = [row.nowMs - endedAtMs, row.nowMs - startedAtMs];
    const latestMs = this.offsetMs === null ? mostMs : this.offsetMs + (endedAtMs - this.readAtMs) * DRIFT;
    const isBehind = latestMs < leastMs; // the database's time stepped, or this machine slept
    this.offsetMs = isBehind ? mostMs : Math.min(latestMs, mostMs);
    this.readAtMs = endedAtMs;
    this.warnOfDifference();
    return endedAtMs - startedAtMs;
  }
}
