import { testRedis } from '../../support/servers/test-redis.js';
import { startSuite, type Start } from './start-suite.js';

/** The queue is opened after the database: one start shows that it does not matter; the others by `.ci/run --all`. */
const STARTS: readonly Start[] = [['scheduler', 'midway', 1]];
const OTHERS: readonly Start[] = [
  ['worker', 'starting', 3],
  ['api', 'silent', 2],
];

startSuite('Redis', { REDIS_URL: testRedis() }, process.env['ALL_CASES'] === '1' ? [...STARTS, ...OTHERS] : STARTS);
