import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AddressGuard } from '../../../../src/platform/outbound/address-guard.js';

const guard = new AddressGuard();

describe('the outgoing address filter without exceptions', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '193.0.6.139',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '223.255.255.255',
    '2001:4860:4860::8888',
    '2606:4700::6810:84e5',
    '2a00:1450:4001:80b::200e',
  ])('permits the public address %s', (address) => {
    expect(guard.permits(address)).toBe(true);
  });

  it.each([
    ['private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1']],
    ['loopback', ['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1']],
    ['unspecified and "this network"', ['0.0.0.0', '0.1.2.3', '::']],
    ['link-local', ['169.254.1.1', 'fe80::1', 'fe80::1%lo', 'febf::1', 'fec0::1']],
    ['cloud metadata', ['169.254.169.254', '169.254.170.2', 'fd00:ec2::254', '100.100.100.200', '168.63.129.16']],
    ['carrier-grade NAT', ['100.64.0.1', '100.127.255.255']],
    ['multicast and broadcast', ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1', 'ff0e::1']],
    ['reserved', ['240.0.0.1', '192.0.0.1', '192.0.0.192', '192.88.99.1', '198.18.0.1', '198.19.255.255']],
    ['documentation', ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1']],
    ['IPv4-mapped', ['::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:0a00:0001', '::ffff:8.8.8.8']],
    ['IPv4-compatible', ['::127.0.0.1', '::7f00:1', '::8.8.8.8']],
    ['NAT64', ['64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::a00:1', '64:ff9b:1:ffff::']],
    ['6to4, Teredo and ISATAP', ['2002:7f00:1::', '2001:0:1::1', '2a00:1:2:3:0:5efe:7f00:1', '2a00::200:5efe:a00:1']],
    ['the rest of IPv6 that is not global', ['100::1', '4000::1', '5f00::1', 'e000::1', '::ffff:0:127.0.0.1']],
    ['special purpose', ['2001:2::1', '2001:10::1', '2001:20::1', '192.31.196.1', '192.175.48.1']],
    ['zoned', ['2a00:1450::1%eth0']],
  ])('refuses addresses of this kind: %s', (_kind, addresses) => {
    expect(addresses.filter((address) => guard.permits(address))).toEqual([]);
  });

  it.each(['', 'localhost', '2130706433', '0x7f.1', '0177.0.0.1', '127.1', '8.8.8.8 ', '[::1]', '8.8.8', '8.8.8.8/32'])(
    'refuses a text that is not a complete IP address in its usual form: %j',
    (spelling) => {
      expect(guard.permits(spelling)).toBe(false);
    },
  );

  it('answers true or false for any text, without an error', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (text) => typeof guard.permits(text) === 'boolean'),
    );
  });

  it('refuses every IPv6 address that contains an IPv4 address', () => {
    const prefixes = ['::ffff:', '::', '64:ff9b::', '::ffff:0:'];
    fc.assert(
      fc.property(fc.constantFrom(...prefixes), fc.ipV4(), (prefix, inner) => !guard.permits(`${prefix}${inner}`)),
    );
  });
});

describe('the outgoing address filter with NAT64 prefixes', () => {
  const prefixes = ['2a00:64::/32', '2a01:64:1::/40', '2a02:64:1::/48', '2a03:64:1::/56', '2a04:64:1:2::/64'];
  // RFC 6052 §2.4, with 8.8.8.8 and 10.1.2.3 in place of 192.0.2.33
  const behind = (inner: readonly [string, string, string, string, string]) => inner;
  const eight = behind([
    '2a00:64:808:808::',
    '2a01:64:8:808:8::',
    '2a02:64:1:808:8:800::',
    '2a03:64:1:8:8:808::',
    '2a04:64:1:2:8:808:800::',
  ]);
  const ten = behind([
    '2a00:64:a01:203::',
    '2a01:64:a:102:3::',
    '2a02:64:1:a01:2:300::',
    '2a03:64:1:a:1:203::',
    '2a04:64:1:2:a:102:300::',
  ]);

  it.each(prefixes.map((prefix, at) => [prefix, eight[at] ?? '', ten[at] ?? '']))(
    'judges an address with the prefix %s by the IPv4 address inside',
    (prefix, open, closed) => {
      const guarded = new AddressGuard([], { nat64: [prefix] });
      expect([guarded.permits(open), guarded.permits(closed)]).toEqual([true, false]);
      expect(new AddressGuard(['10.0.0.0/8'], { nat64: [prefix] }).permits(closed)).toBe(true);
    },
  );

  it('judges every address with a /96 prefix only by the IPv4 address inside', () => {
    const guarded = new AddressGuard([], { nat64: ['2a05:64::/96', '64:ff9b::/96', '64:ff9b:1::/96'] });
    fc.assert(
      fc.property(fc.constantFrom('2a05:64::', '64:ff9b::', '64:ff9b:1::'), fc.ipV4(), (prefix, inner) => {
        expect(guarded.permits(`${prefix}${inner}`)).toBe(guarded.permits(inner));
      }),
    );
  });

  it('refuses the local-use prefix of RFC 8215 if no setting names it', () => {
    expect(guard.permits('64:ff9b:1::8.8.8.8')).toBe(false);
    expect(guard.permits('64:ff9b:1:ffff::8.8.8.8')).toBe(false);
  });
});

describe('the outgoing address filter on a public machine', () => {
  const own = { ownAddresses: () => ['127.0.0.1', '93.184.216.34', 'fe80::1', '2606:2800:220:1::9'] };

  it('refuses addresses of the machine itself, unless a setting permits them', () => {
    const careful = new AddressGuard([], own);
    const asked = ['93.184.216.34', '2606:2800:220:1::9', '2606:2800:0220:0001:0:0:0:9', '93.184.216.35'];
    expect(asked.filter((address) => careful.permits(address))).toEqual(['93.184.216.35']);
    expect(new AddressGuard(['93.184.216.34'], own).permits('93.184.216.34')).toBe(true);
  });
});

describe('the outgoing address filter with permitted networks', () => {
  it('permits only these networks and the public addresses', () => {
    const lenient = new AddressGuard(['10.1.0.0/16', 'fd00:1::/32', '192.168.7.7']);
    const asked = [
      '10.1.2.3',
      '10.2.0.1',
      'fd00:1::9',
      'fd00:2::9',
      '192.168.7.7',
      '192.168.7.8',
      '8.8.8.8',
      '127.0.0.1',
    ];
    expect(asked.filter((address) => lenient.permits(address))).toEqual([
      '10.1.2.3',
      'fd00:1::9',
      '192.168.7.7',
      '8.8.8.8',
    ]);
  });

  it('recognizes a permitted IPv4 network even if it is written as IPv4-mapped IPv6', () => {
    expect(new AddressGuard(['127.0.0.0/8']).permits('::ffff:127.0.0.1')).toBe(true);
    expect(new AddressGuard(['127.0.0.0/8']).permits('::ffff:7f00:1')).toBe(true);
    expect(new AddressGuard(['::ffff:127.0.0.0/104']).permits('127.0.0.1')).toBe(true);
    expect(new AddressGuard(['::ffff:127.0.0.0/104']).permits('10.0.0.1')).toBe(false);
  });

  it('refuses other IPv6 addresses that only contain a permitted IPv4 address', () => {
    const lenient = new AddressGuard(['127.0.0.0/8']);
    expect(['::127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::'].filter((address) => lenient.permits(address))).toEqual(
      [],
    );
  });
});
