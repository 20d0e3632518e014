import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Redis } from 'ioredis';

/** A command that takes longer has failed, and a start does not wait longer for a Redis that is away; milliseconds. */
const PATIENCE = 1_000;

/** A connection for what may fail: nothing waits for a Redis that is away, and it is found again by itself. */
export class RedisConnection implements OnModuleInit, OnApplicationShutdown {
  private readonly log = new Logger(RedisConnection.name);
  /** null: this installation has no Redis. */
  readonly client: Redis | null;

  constructor(url: string | null) {
    const options = { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: PATIENCE };
    this.client = url === null ? null : new Redis(url, options);
    this.client?.on('error', (error: Error) => this.log.warn(`Redis is away: ${error.message}`));
  }

  async onModuleInit(): Promise<void> {
    const { client } = this;
    if (client === null || client.status === 'ready') return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, PATIENCE);
      client.once('ready', () => resolve(clearTimeout(timer)));
    });
  }

  onApplicationShutdown(): void {
    this.client?.disconnect();
  }
}
