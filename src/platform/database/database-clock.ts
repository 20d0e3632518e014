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
  private offsetMs = Date.now() - performance.now();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly sqlClient: SqlClient) {
    super();
  }

  now(): Date {
    return new Date(Math.floor(this.offsetMs + performance.now()));
  }

  async onModuleInit(): Promise<void> {
    await this.synchronise();
    this.timer = setInterval(() => void this.resynchronise(), RESYNC_INTERVAL_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private async synchronise(): Promise<void> {
    const startedAt = performance.now();
    const [row] = await this.sqlClient.run<{ now: Date }>(NOW);
    if (!row) throw new Error('the database returned no time');
    this.offsetMs = row.now.getTime() - (startedAt + performance.now()) / 2;
  }

  private async resynchronise(): Promise<void> {
    try {
      await this.synchronise();
    } catch (error) {
      this.log.warn(`could not read the database's time, keeping the last offset:  ${(error as Error).message}`);
    }
  }
}
