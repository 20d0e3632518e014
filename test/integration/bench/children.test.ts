import { describe, expect, it } from '@jest/globals';
import { startLookupLoops } from '../../bench/checks/lookup-loops.js';
import { startChild } from '../../bench/child.js';

describe('A child process of a bench that ends before it is ready ends the suite with an error', () => {
  it('when it answers orders', async () => {
    const starting = startLookupLoops('http://127.0.0.1:9/', '/no-such-folder/budgets.json');

    await expect(starting).rejects.toThrow('loops.ts ended with 1 before it answered, see above');
  });

  it('when it is a server', async () => {
    await expect(startChild(['-e', 'process.exit(3)'], {})).rejects.toThrow('ended with 3 before it was ready');
  });
});
