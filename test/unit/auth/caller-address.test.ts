import { describe, expect, it } from '@jest/globals';
import { callerAddress } from '../../../src/auth/authentication/auth-failure-limiter.js';

describe('the lockout key of a client address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::ffff', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('for %s is %s', (ip, expected) => {
    expect(callerAddress(ip)).toBe(expected);
  });

  it('is the same within an IPv6 /64 network, and another in the next network', () => {
    expect(callerAddress('2001:db8:0:7::1')).toBe(callerAddress('2001:db8:0:7:ffff::2'));
    expect(callerAddress('2001:db8:0:7::1')).not.toBe(callerAddress('2001:db8:0:8::1'));
  });
});
