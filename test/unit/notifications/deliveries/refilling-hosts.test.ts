import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { RefillingHosts } from '../../../../src/notifications/deliveries/refilling-hosts.js';

describe('hosts that are about to be claimed for', () => {
  afterEach(() => void jest.useRealTimers());

  it('are those whose attempts ended after the last claim began', () => {
    jest.useFakeTimers();
    const hosts = new RefillingHosts();
    for (const host of ['a.example', 'b.example']) hosts.add(host);
    const claimedAt = performance.now();
    jest.advanceTimersByTime(1);
    hosts.add('b.example');
    hosts.remove(['a.example', 'b.example', 'c.example'], claimedAt);
    expect(hosts.list()).toEqual(['b.example']);
  });

  it('are left to the periodic claim when none has come for a second', () => {
    jest.useFakeTimers();
    const hosts = new RefillingHosts();
    hosts.add('a.example');
    jest.advanceTimersByTime(1_001);
    hosts.add('b.example');
    expect(hosts.list()).toEqual(['b.example']);
  });
});
