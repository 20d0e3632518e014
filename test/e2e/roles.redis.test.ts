import { testRedis } from '../support/test-redis.js';
import { rolesSuite } from './roles-suite.js';

rolesSuite('Redis', () => ({ REDIS_URL: testRedis() }));
