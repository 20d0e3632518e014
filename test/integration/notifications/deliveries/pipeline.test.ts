import { describe } from '@jest/globals';
import { pipelineSuite } from './pipeline-suite.js';

describe('a delivery by way of PostgreSQL alone', () => pipelineSuite(() => ({})));
