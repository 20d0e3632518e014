import { describe } from '@jest/globals';
import { pipelineSuite } from './pipeline-suite.js';

describe('a delivery through PostgreSQL alone', () => pipelineSuite(() => ({})));
