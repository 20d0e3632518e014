import { testRedis } from '../../support/servers/test-redis.js';
import { ledgerSuite } from './ledger-suite.js';

ledgerSuite('Redis', () => ({ REDIS_URL: testRedis() }));
