import { type OnApplicationShutdown, type OnModuleInit, Global, Logger, Module } from '@nestjs/common';
import { Redis } from 'ioredis';
import { setTimeout as pause } from 'node:timers/promises';
import { InvalidConfigurationError } from '../../config/invalid-configuration.error.js';
import { QueueConfig } from '../../config/sections.js';
import { OutageLog } from '../logging/outage-log.js';
import { findRedisMistake } from './explain-redis-error.js';
import { redisOptions } from './redis-options.js';

const TIMEOUT_MS = 1_000;
/** Long enough for two attempts to connect at the start. Often only the second attempt's error says what is wrong. */
const START_TIMEOUT_MS = 2_500;

/**
 * A connection to Redis. Commands fail at once while Redis is unavailable, and the connection is restored
 * automatically.
 */
export class RedisConnection implements OnModuleInit, OnApplicationShutdown {
  private readonly log = new Logger('Redis');
  /** The Redis client, or null without REDIS_URL. */
  readonly client: Redis | null;
  /** Resolves with the text of an error that a person must fix, or with null after the first connection. */
  private readonly firstAnswer = Promise.withResolvers<string | null>();
  private evictionProblem: string | null = null;

  constructor(url: string | null) {
    // Without these timeouts, a silent connection would delay every command for minutes.
    const timeouts = { commandTimeout: TIMEOUT_MS, socketTimeout: 2 * TIMEOUT_MS };
    const options = { enableOfflineQueue: false, maxRetriesPerRequest: 0, ...timeouts };
    this.client = url === null ? null : new Redis(redisOptions(url, options));
    const onError = (error: Error) => {
      OutageLog.forDependency('Redis').reportDown(error.message);
      const mistake = findRedisMistake(error, url ?? '');
      if (mistake !== null) this.firstAnswer.resolve(mistake);
    };
    for (const event of ['error', 'sentinelError']) this.client?.on(event, onError);
    this.client?.on('ready', () => this.onReady());
  }

  /**
   * If Redis does not respond in 2.5 seconds, the service starts without Redis.
   * @throws InvalidConfigurationError if a person must fix a setting
   */
  async onModuleInit(): Promise<void> {
    if (this.client === null) return;
    const mistake = await Promise.race([this.firstAnswer.promise, pause(START_TIMEOUT_MS, null, { ref: false })]);
    if (mistake !== null) throw new InvalidConfigurationError([mistake]);
  }

  private onReady(): void {
    OutageLog.forDependency('Redis').reportUp();
    if (this.client !== null) void findClusterProblem(this.client).then(this.firstAnswer.resolve);
    void this.warnOfEviction();
  }

  /** Warns if Redis may delete keys. Runs at each connection, because after a failover another server responds. */
  private async warnOfEviction(): Promise<void> {
    if (this.client === null) return;
    const problem = await findEvictionProblem(this.client).catch(() => this.evictionProblem);
    if (problem !== null && problem !== this.evictionProblem) this.log.warn(problem);
    this.evictionProblem = problem;
  }

  /** Rejects if Redis is unavailable or full. Writes a key, because a full Redis still answers reads. */
  async probe(): Promise<void> {
    await this.client?.set('namewatch:probe', '', 'PX', TIMEOUT_MS);
  }

  onApplicationShutdown(): void {
    this.client?.disconnect();
  }
}

/** Returns a warning if a full Redis would delete keys. A deleted job makes a domain check a minute late. */
export async function findEvictionProblem(client: Redis): Promise<string | null> {
  const policy = /^maxmemory_policy:(\S+)/m.exec(await client.info('memory'))?.[1] ?? 'unknown';
  return policy === 'noeviction' ? null : `Redis would drop jobs: set maxmemory-policy noeviction, not ${policy}`;
}

/**
 * Returns a problem for a Redis Cluster, where commands fail (CROSSSLOT) because several servers hold a queue's keys.
 */
export async function findClusterProblem(client: Pick<Redis, 'info'>): Promise<string | null> {
  const facts = await client.info('cluster').catch(() => '');
  if (!/^cluster_enabled:1/m.test(facts)) return null;
  return 'REDIS_URL: this is a Redis Cluster, where the keys of a queue lie on several servers: name a Redis without cluster mode';
}

/** Provides one shared connection. The connection's client is null without REDIS_URL. */
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
