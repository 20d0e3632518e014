import { rolesSuite } from './roles-suite.js';

rolesSuite('PostgreSQL', () => ({}));
