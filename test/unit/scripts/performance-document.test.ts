import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readFigures } from '../../../bench/figures-file.js';
import { toPerformanceDocument } from '../../../scripts/performance/performance-document.js';
import { toScalingDocument } from '../../../scripts/performance/scaling-document.js';

const root = join(import.meta.dirname, '../../..');
const figures = readFigures(join(root, 'bench/figures.json'));

describe('bench/figures.json', () => {
  it.each([
    ['docs/performance.md', toPerformanceDocument],
    ['docs/scaling.md', toScalingDocument],
  ])('is what %s was written from; npm run -s performance writes it again', (path, toDocument) => {
    expect(readFileSync(join(root, path), 'utf8')).toBe(toDocument(figures));
  });

  it('shows in the document, figure by figure', () => {
    const slower = figures.map((suite) => ({
      ...suite,
      figures: suite.figures.map((figure) => ({ ...figure, ours: figure.ours * 2 })),
    }));

    expect(toPerformanceDocument(slower)).not.toBe(toPerformanceDocument(figures));
    expect(toScalingDocument(slower)).not.toBe(toScalingDocument(figures));
  });
});
