import { testRedis } from '../support/test-redis.js';
import { secretsSuite } from './secrets-suite.js';

secretsSuite('Redis', () => ({ REDIS_URL: testRedis() }));
