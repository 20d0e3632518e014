import { testRedis } from '../../support/servers/test-redis.js';
import { startSuite } from './start-suite.js';

startSuite('Redis', { REDIS_URL: testRedis() }, [
  ['worker', 'starting', 3],
  ['scheduler', 'midway', 1],
  ['api', 'silent', 2],
]);
