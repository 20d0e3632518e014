import { testRedis } from '../../support/servers/test-redis.js';
import { lookupSourcesSuite } from './lookup-sources-suite.js';

lookupSourcesSuite('Redis', () => ({ REDIS_URL: testRedis() }));
