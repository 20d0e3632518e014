import { describe, expect, it } from '@jest/globals';
import { ShutdownStack } from '../../../src/process/shutdown.js';

function closingOf(...steps: (() => unknown)[]): ShutdownStack {
  const closing = new ShutdownStack();
  for (const step of steps) closing.push(step);
  return closing;
}

describe('closing', () => {
  it('goes backwards, one after the other', async () => {
    const closed: string[] = [];
    const slowly = async () => {
      await Promise.resolve();
      closed.push('service');
    };
    await closingOf(() => closed.push('database'), slowly).closeAll();
    expect(closed).toEqual(['service', 'database']);
  });

  it('continues after a failure, and throws it', async () => {
    const closed: string[] = [];
    const failing = () => Promise.reject(new Error('stuck'));
    await expect(closingOf(() => closed.push('database'), failing).closeAll()).rejects.toThrow('stuck');
    expect(closed).toEqual(['database']);
  });

  it('throws several failures together', async () => {
    const failing = (words: string) => () => Promise.reject(new Error(words));
    const closing = closingOf(failing('first'), failing('second')).closeAll();
    await expect(closing).rejects.toMatchObject({ errors: [new Error('second'), new Error('first')] });
  });

  it('happens once', async () => {
    let times = 0;
    const closing = closingOf(() => times++);
    await closing.closeAll();
    await closing.closeAll();
    expect(times).toBe(1);
  });
});
