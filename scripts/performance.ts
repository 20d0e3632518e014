import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFigures } from '../bench/figures-file.js';
import { toPerformanceDocument } from './performance/performance-document.js';
import { toScalingDocument } from './performance/scaling-document.js';

/** `npm run -s performance [-- <figures file>]`: writes docs/performance.md and docs/scaling.md from the figures of the bench. */
const root = join(import.meta.dirname, '..');
const [file = join(root, 'bench/figures.json')] = process.argv.slice(2);
const suites = readFigures(file);
writeFileSync(join(root, 'docs/performance.md'), toPerformanceDocument(suites));
writeFileSync(join(root, 'docs/scaling.md'), toScalingDocument(suites));
