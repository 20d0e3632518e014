import { clocksSuite } from './clocks-suite.js';

clocksSuite('PostgreSQL', {});
