import { testRedis } from '../../support/test-redis.js';
import { pipelineSuite } from './pipeline-suite.js';

pipelineSuite('Redis', () => ({ REDIS_URL: testRedis() }));
