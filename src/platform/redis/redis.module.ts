import { Global, Module } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { RedisConnection } from './redis-connection.js';

/** One connection for all that counts in Redis; without REDIS_URL it connects to nothing. */
@Global()
@Module({
  providers: [
    {
      provide: RedisConnection,
      inject: [Config],
      useFactory: ({ redisUrl }: Config) => new RedisConnection(redisUrl),
    },
  ],
  exports: [RedisConnection],
})
export class RedisModule {}
