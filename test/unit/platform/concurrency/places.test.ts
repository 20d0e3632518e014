import { describe, expect, it } from '@jest/globals';
import { DomainError } from '../../../../src/kernel/domain-error.js';
import { Places } from '../../../../src/platform/concurrency/places.js';

/** How many an account gets when it asks for all. */
const takeAll = (places: Places, account: string, size = 1) => {
  let taken = 0;
  while (!(places.take(account, size) instanceof DomainError)) taken += 1;
  return taken;
};
const refusal = (code: string) => expect.objectContaining({ code, details: { retry_after_seconds: 1 } });

describe('the slots for work in one process', () => {
  it('are given to an account up to the limit per account', () => {
    const places = new Places(1_000, 254, 'requests in flight');
    expect(takeAll(places, 'busy')).toBe(254);
    expect(places.take('busy')).toEqual(refusal('too_many_concurrent_requests'));
  });

  it('stay free for another account even if eight accounts take all that they can get', () => {
    const places = new Places(1_000, 254, 'requests in flight');
    for (let n = 0; n < 8; n += 1) takeAll(places, `busy ${n}`);
    expect(places.take('busy 7')).toEqual(refusal('overloaded'));
    expect(takeAll(places, 'quiet')).toBeGreaterThan(0);
    expect(places.isFull).toBe(false);
  });

  it('can be counted by size, such as the bytes of a request body', () => {
    const bodies = new Places(1_000, 100, 'bytes in flight');
    expect(takeAll(bodies, 'busy', 30)).toBe(3);
    expect(bodies.take('busy', 10)).toEqual(expect.any(Function));
  });

  it('are freed only once if they are given back twice, and can be taken again', () => {
    const places = new Places(2, 1, 'uploads in progress');
    const giveBack = places.take('a');
    if (giveBack instanceof DomainError) throw giveBack;
    giveBack();
    giveBack();
    expect([takeAll(places, 'a'), takeAll(places, 'b')]).toEqual([1, 1]);
    expect([places.isFull, places.take(undefined)]).toEqual([true, refusal('overloaded')]);
  });
});
