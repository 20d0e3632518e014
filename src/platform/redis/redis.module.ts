import { Global, Module } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { RedisConnection } from './redis-connection.js';

/** One shared connection; none without REDIS_URL. */
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
