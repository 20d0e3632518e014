import { testRedis } from '../../support/servers/test-redis.js';
import { clocksSuite } from './clocks-suite.js';

clocksSuite('Redis', { REDIS_URL: testRedis() });
