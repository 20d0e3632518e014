import { describe, expect, it } from '@jest/globals';
import { Deadline } from '../../../../src/platform/outbound/deadline.js';

describe('a deadline', () => {
  it('calls its listeners when it has passed, and gives a timeout as the reason', async () => {
    const deadline = new Deadline(20);
    expect(deadline.aborted).toBe(false);
    await new Promise<void>((resolve) => deadline.addEventListener('abort', resolve));
    expect(deadline.aborted).toBe(true);
    expect(deadline.reason).toMatchObject({ failure: 'timeout' });
    expect(deadline.remainingMs).toBeLessThanOrEqual(1);
  });

  it('does not call removed listeners', async () => {
    const deadline = new Deadline(10);
    const called: string[] = [];
    const gone = () => void called.push('gone');
    deadline.addEventListener('abort', gone);
    deadline.removeEventListener('abort', gone);
    await new Promise<void>((resolve) => deadline.addEventListener('abort', resolve));
    expect(called).toEqual([]);
  });

  it('does not run before it is started, and starts only once', () => {
    let starts = 0;
    const deadline = new Deadline(0, () => (starts += 1));
    expect([deadline.aborted, deadline.remainingMs]).toEqual([false, 0]);
    expect(deadline.start().start().aborted).toBe(true);
    expect(starts).toBe(1);
  });
});
