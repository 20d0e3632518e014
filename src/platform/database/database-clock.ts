import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Clock, MINUTE } from '../../kernel/clock.js';
import { SqlClient } from './sql-client.js';

const NOW = { name: 'clock_now', text: 'select clock_timestamp() as now' };
const RESYNC_INTERVAL_MS = MINUTE / 2;

/**
 * The database's time, so that processes on machines with different clocks agree. Between two readings it advances with
 * the monotonic timer, which ignores steps of the machine's clock.
 */
@Injectable()
export class DatabaseClock extends Clock implements OnModuleInit, OnModuleDestroy {
  private readonly log = new Logger(DatabaseClock.name);
  private offsetMs: number | null = null;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly sqlClient: SqlClient) {
    super();
  }

  now(): Date {
    const offsetMs = this.offsetMs ?? Date.now() - performance.now();
    return new Date(Math.floor(offsetMs + performance.now()));
  }

  async onModuleInit(): Promise<void> {
    await this.synchronise();
    this.timer = setInterval(() => void this.resynchronise(), RESYNC_INTERVAL_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /**
   * The database's time was read somewhere between the beginning and the end: a reading that a frozen process or a slow
   * database draws out for seconds says little, and moves the clock only if it contradicts it.
   */
  private async synchronise(): Promise<void> {
    const startedAt = performance.now();
    const [row] = await this.sqlClient.run<{ now: Date }>(NOW);
    if (!row) throw new Error('the database returned no time');
    const [least, most] = [row.now.getTime() - performance.now(), row.now.getTime() - startedAt];
    this.offsetMs = this.offsetMs === null ? (least + most) / 2 : Math.min(Math.max(this.offsetMs, least), most);
  }

  private async resynchronise(): Promise<void> {
    try {
      await this.synchronise();
    } catch (error) {
      this.log.warn(`could not read the database's time, keeping the last offset:  ${(error as Error).message}`);
    }
  }
}
