import { outageSuite } from './outage-suite.js';

outageSuite('PostgreSQL', false, () => undefined);
