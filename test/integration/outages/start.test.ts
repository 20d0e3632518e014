import { startSuite, type Start } from './start-suite.js';

/** One in each phase of a start; the others by `.ci/run --all`. */
const STARTS: readonly Start[] = [
  ['worker', 'starting', 0],
  ['worker', 'silent', 7],
  ['api', 'reset', 2],
];
const OTHERS: readonly Start[] = [
  ['worker', 'midway', 3],
  ['worker', 'silent', 8],
  ['scheduler', 'starting', 4],
];

startSuite('PostgreSQL', {}, process.env['ALL_CASES'] === '1' ? [...STARTS, ...OTHERS] : STARTS);
