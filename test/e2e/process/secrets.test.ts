import { secretsSuite } from './secrets-suite.js';

secretsSuite('PostgreSQL', () => ({}));
