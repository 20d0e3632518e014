import { testRedis } from '../../../support/servers/test-redis.js';
import { pipelineSuite } from './pipeline-suite.js';

pipelineSuite('Redis', { REDIS_URL: testRedis() });
