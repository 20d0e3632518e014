import { Global, Module } from '@nestjs/common';
import { QueueConfig } from '../../config/sections.js';
import { RedisConnection } from './redis-connection.js';

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
