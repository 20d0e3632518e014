import { lookupSourcesSuite } from './lookup-sources-suite.js';

lookupSourcesSuite('PostgreSQL', () => ({}));
