import type { Suite } from '../../../bench/suite.js';

/** As fast as none is. */
export const suite: Suite = {
  name: 'measures',
  about: 'rounds as the figure',
  measure: async ({ rounds }) => [
    { what: 'rounds', unit: 'rounds', ours: rounds, baseline: 0, ratio: rounds / Number(rounds > 1), besides: {} },
  ],
};
