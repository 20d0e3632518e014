import { startSuite } from './start-suite.js';

startSuite('PostgreSQL', {}, [
  ['worker', 'starting', 0],
  ['worker', 'midway', 3],
  ['worker', 'silent', 7],
  ['worker', 'silent', 8],
  ['scheduler', 'starting', 4],
  ['api', 'reset', 2],
]);
