import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFigures } from '../bench/figures-file.js';
import { toPerformanceDocument } from './performance/performance-document.js';

/** `npm run -s performance [-- <figures file>]`: writes docs/performance.md from the figures of the bench. */
const root = join(import.meta.dirname, '..');
const [file = join(root, 'bench/figures.json')] = process.argv.slice(2);
writeFileSync(join(root, 'docs/performance.md'), toPerformanceDocument(readFigures(file)));
