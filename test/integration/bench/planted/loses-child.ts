import type { Suite } from '../../../bench/suite.js';
import { startChild } from '../../../bench/child.js';

/** Its server dies while it is measured. */
export const suite: Suite = {
  name: 'loses-child',
  about: 'a server that dies',
  measure: async () => {
    const dies = `console.log('ready at http://127.0.0.1:9'); setTimeout(() => process.exit(3), 50)`;
    await startChild(['-e', dies], {});
    return new Promise(() => setInterval(() => undefined, 1_000));
  },
};
