import { pipelineSuite } from './pipeline-suite.js';

pipelineSuite('PostgreSQL', {});
