import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CredentialCache } from '../../../src/auth/authentication/credential-cache.js';
import { RateLimited } from '../../../src/auth/domain/auth.errors.js';

const MAX_WAITING = 3;
const SHORT_OF_A_SECOND = 950;

beforeEach(() => {
  jest.useFakeTimers();
  jest.advanceTimersByTime(1_000); // the process has run for a while
});
afterEach(() => void jest.useRealTimers());

/** A question that is answered when the test says so. */
function heldQuestions() {
  const held: (() => void)[] = [];
  const ask = jest.fn(() => new Promise<string>((resolve) => held.push(() => resolve('found'))));
  const release = () => held.splice(0).forEach((resolve) => resolve());
  return { ask, release };
}

const flood = (cache: CredentialCache<string>, address: string, ask: () => Promise<string>) =>
  Array.from({ length: MAX_WAITING }, (_, guess) => cache.find(`guess ${guess}`, address, ask));

describe('the identity of a credential', () => {
  it('is looked up once within a second, and a refusal is not cached', async () => {
    const cache = new CredentialCache<string>(MAX_WAITING);
    const ask = jest.fn(() => Promise.resolve('found'));
    await cache.find('key', null, ask);
    await cache.find('key', null, ask);
    expect(ask).toHaveBeenCalledTimes(1);
    const refused = cache.find('other', null, () => Promise.reject(new Error('revoked')));
    await expect(refused).rejects.toThrow('revoked');
    expect(await cache.find('other', null, ask)).toBe('found');
  });

  it('is cached for a second from when the lookup began, even if the answer is slow', async () => {
    const cache = new CredentialCache<string>(MAX_WAITING);
    const ask = jest.fn(() => Promise.resolve(jest.advanceTimersByTime(SHORT_OF_A_SECOND)).then(() => 'found'));
    await cache.find('key', null, ask);
    await cache.find('key', null, ask);
    expect(ask).toHaveBeenCalledTimes(2);
  });
});

describe('requests from a locked-out address', () => {
  it('are refused while too many others wait, and admitted when those have been answered', async () => {
    const cache = new CredentialCache<string>(MAX_WAITING);
    const { ask, release } = heldQuestions();
    const waiting = flood(cache, '192.0.2.1', ask);
    await expect(cache.find('one more', '192.0.2.1', ask)).rejects.toThrow(RateLimited);
    release();
    await Promise.all(waiting);
    const admitted = cache.find('one more', '192.0.2.1', ask);
    release();
    expect(await admitted).toBe('found');
  });

  it('do not block other addresses, or a credential that was valid before', async () => {
    const cache = new CredentialCache<string>(MAX_WAITING);
    const { ask, release } = heldQuestions();
    await cache.find('known', null, () => Promise.resolve('found'));
    jest.advanceTimersByTime(SHORT_OF_A_SECOND);
    const waiting = flood(cache, '2001:db8::1', ask);
    await expect(cache.find('one more', '2001:db8::ffff', ask)).rejects.toThrow(RateLimited); // the same /64
    const others = [cache.find('known', '2001:db8::1', ask), cache.find('a', '2001:db8:0:1::1', ask)];
    others.push(cache.find('b', null, ask));
    expect(ask).toHaveBeenCalledTimes(MAX_WAITING + 3);
    release();
    await Promise.all([...waiting, ...others]);
  });
});
