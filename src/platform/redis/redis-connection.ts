import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { Redis } from 'ioredis';
import { OutageLog } from '../logging/outage-log.js';

/** A command that takes longer has failed, and a start does not wait longer for a Redis that is away; milliseconds. */
const TIMEOUT_MS = 1_000;

/** A connection for what may fail: nothing waits for a Redis that is away, and it is found again by itself. */
export class RedisConnection implements OnModuleInit, OnApplicationShutdown {
  /** null: this installation has no Redis. */
  readonly client: Redis | null;

  constructor(url: string | null) {
    // What says nothing is left for a new connection: the old one would keep every command waiting for minutes.
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

  /** Rejects when it is away, or full: then it answers questions and takes nothing. */
  async probe(): Promise<void> {
    await this.client?.set('namewatch:probe', '', 'PX', TIMEOUT_MS);
  }

  onApplicationShutdown(): void {
    this.client?.disconnect();
  }
}
