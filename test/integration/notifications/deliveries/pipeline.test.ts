import { describe } from '@jest/globals';
import { pipelineSuite } from './pipeline-suite.js';

describe('a delivery with its job queue in PostgreSQL', () => pipelineSuite(() => ({})));
