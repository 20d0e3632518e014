import { type OnApplicationShutdown, type OnModuleInit, Global, Module } from '@nestjs/common';
import { Redis } from 'ioredis';
import { OutageLog } from '../logging/outage-log.js';
import { QueueConfig } from '../../config/sections.js';

/** Limits commands, and the wait for Redis at the start. */
const TIMEOUT_MS = 1_000;

/** Fails fast while Redis is unavailable, and reconnects by itself. */
export class RedisConnection implements OnModuleInit, OnApplicationShutdown {
  /** null without REDIS_URL. */
  readonly client: Redis | null;

  constructor(url: string | null) {
    // A silent connection is replaced: it would keep every command waiting for minutes.
    const timeouts = { commandTimeout: TIMEOUT_MS, socketTimeout: 2 * TIMEOUT_MS };
    const options = { enableOfflineQueue: false, maxRetriesPerRequest: 0, ...timeouts };
    this.client = url === null ? null : new Redis(url, options);
    this.client?.on('error', (error: Error) => OutageLog.forDependency('Redis').reportDown(error.message));
    this.client?.on('ready', () => OutageLog.forDependency('Redis').reportUp());
  }

  async onModuleInit(): Promise<void> {
    const { client } = this;
    if (client === null || client.status === 'ready') return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, TIMEOUT_MS);
      client.once('ready', () => resolve(clearTimeout(timer)));
    });
  }

  /** Rejects when Redis is unavailable or full: a full one still answers reads. */
  async probe(): Promise<void> {
    await this.client?.set('namewatch:probe', '', 'PX', TIMEOUT_MS);
  }

  onApplicationShutdown(): void {
    this.client?.disconnect();
  }
}

/** One shared connection; none without REDIS_URL. */
@Global()
@Module({
  providers: [
    {
      provide: RedisConnection,
      inject: [QueueConfig],
      useFactory: ({ redisUrl }: QueueConfig) => new RedisConnection(redisUrl),
    },
  ],
  exports: [RedisConnection],
})
export class RedisModule {}
