import { testRedis } from '../../support/servers/test-redis.js';
import { secretsSuite } from './secrets-suite.js';

secretsSuite('Redis', () => ({ REDIS_URL: testRedis() }));
