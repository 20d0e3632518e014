import { type RateLimiterAbstract, RateLimiterRedis } from 'rate-limiter-flexible';
import type { Bucket } from './token-buckets.js';

/**
 * Replaces the library's fixed window by a token bucket: a window would grant nothing after `burst` for a while,
 * then twice as much around its border. The key stores when the bucket will be full again, by Redis' clock. Returns
 * what the library reads: the points consumed including this request, granted or not, and the milliseconds to the
 * next token.
 */
const TAKE_TOKENS = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local wanted, points = tonumber(ARGV[1]), tonumber(ARGV[3])
local apart = ARGV[4] * 1000 / points
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now)
local free = math.max(0, math.floor((now - full + 0.001) / apart + points))
local granted = math.min(free, wanted)
if granted > 0 then
  full = full + granted * apart
  redis.call('SET', KEYS[1], string.format('%.3f', full), 'PX', math.ceil(full - now) + 1000)
end
return { points - free + wanted, math.max(0, math.ceil(full - now - (points - 1) * apart)) }
`;

/** @param client an ioredis client */
export function redisTokenBucket(client: object, { points, duration }: Bucket): RateLimiterAbstract {
  return new RateLimiterRedis({
    ...{ storeClient: client, keyPrefix: 'namewatch:budget', points, duration },
    customIncrTtlLuaScript: TAKE_TOKENS,
    rejectIfRedisNotReady: true,
  });
}
