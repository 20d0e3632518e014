import { describe } from '@jest/globals';
import { testRedis } from '../../../support/servers/test-redis.js';
import { pipelineSuite } from './pipeline-suite.js';

describe('a delivery with its job queue in Redis', () => pipelineSuite(() => ({ REDIS_URL: testRedis() })));
