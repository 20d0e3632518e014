import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  TargetInvalid,
  TargetNotAllowed,
  parseWebhookTarget,
  type WebhookPolicy,
} from '../../../../src/notifications/domain/target.js';
import { AddressGuard } from '../../../../src/platform/outbound/address-guard.js';
import { anyText } from '../../../support/builders/any-text.js';

const guard = new AddressGuard();
const policy: WebhookPolicy = {
  permitsPort: (port) => port === 443 || port >= 1_024,
  permitsAddress: (address) => guard.permits(address),
  isOwn: (host) => host === 'namewatch.example.com',
};

function rejectionFor(text: string): string {
  try {
    parseWebhookTarget(text, policy);
  } catch (error) {
    if (error instanceof TargetInvalid || error instanceof TargetNotAllowed) return error.code;
    throw error;
  }
  return 'taken';
}

describe('the target URL of a webhook', () => {
  it.each([
    ['https://hooks.example.com/namewatch', 'https://hooks.example.com/namewatch'],
    ['  https://hooks.example.com/a?b=c ', 'https://hooks.example.com/a?b=c'],
    ['HTTPS://Hooks.Example.COM:443', 'https://hooks.example.com/'],
    ['https://hooks.example.com:8443/x', 'https://hooks.example.com:8443/x'],
    ['https://hooks.example.com./x', 'https://hooks.example.com/x'],
    ['https://hooks.example.com/x#part', 'https://hooks.example.com/x'],
    ['https://hooks.example.com/a/../b', 'https://hooks.example.com/b'],
    ['https://münchen.example/ü', 'https://xn--mnchen-3ya.example/%C3%BC'],
    ['https://receiver/', 'https://receiver/'],
    ['https://my_hook.example.com/', 'https://my_hook.example.com/'],
    ['https://8.8.8.8/', 'https://8.8.8.8/'],
    ['https://[2606:4700::1]/', 'https://[2606:4700::1]/'],
    ['https://localhost.example.com/', 'https://localhost.example.com/'],
  ])('is accepted and normalized: %s is sent to %s', (text, canonical) => {
    const { hostname: host } = new URL(canonical);
    expect(parseWebhookTarget(text, policy)).toEqual({ asSent: text.trim(), canonical, host });
  });

  it.each([
    'http://hooks.example.com/',
    'HTTP://hooks.example.com/',
    'https://user@hooks.example.com/',
    'https://user:pass@hooks.example.com/',
    'https://@hooks.example.com/',
    'https://hooks.example.com@127.0.0.1/',
    'https://hooks.example.com:80/',
    'https://hooks.example.com:22/',
    'https://hooks.example.com:0/',
    'https://localhost/',
    'https://LOCALHOST:8443/',
    'https://localhost./',
    'https://api.localhost/',
    'https://namewatch.example.com/v1/watchlist',
    'https://Namewatch.example.com./',
  ])('is refused for its scheme, login, port or host: %s', (text) => {
    expect(rejectionFor(text)).toBe('target_not_allowed');
  });

  it('may be localhost over HTTPS if the settings allow loopback, but never Namewatch itself', () => {
    const local = new AddressGuard(['127.0.0.0/8']);
    const permitsAddress = (address: string, port: number) => port !== 3_000 && local.permits(address);
    const lenient = { ...policy, permitsAddress };
    for (const url of ['https://localhost:8443/', 'https://api.localhost/', 'https://LOCALHOST./'])
      expect(parseWebhookTarget(url, lenient)).toMatchObject({ asSent: url });
    const refused = { code: 'target_not_allowed' };
    const ofService = { ...lenient, isOwn: (host: string) => host === 'localhost' };
    expect(() => parseWebhookTarget('https://localhost:3000/', lenient)).toThrow(expect.objectContaining(refused));
    expect(() => parseWebhookTarget('https://localhost:8443/', ofService)).toThrow(expect.objectContaining(refused));
    expect(() => parseWebhookTarget('http://localhost:8443/', lenient)).toThrow(expect.objectContaining(refused));
  });

  it.each([
    'https://127.0.0.1:3000/',
    'https://localhost:3000/',
    'https://api.localhost:3000/',
    'https://[::1]:3000/',
    'https://203.0.113.9/',
    'https://names.localhost/',
    'https://namewatch.example.com/',
  ])('is refused because it leads to Namewatch itself: %s', (text) => {
    const own = new Set(['127.0.0.1:3000', '::1:3000', '203.0.113.9:443', 'names.localhost:443']);
    const isOwn = (host: string, port: number) => policy.isOwn(host, port) || own.has(`${host}:${port}`);
    const refused = { code: 'target_not_allowed', message: 'A webhook cannot target this service itself.' };
    expect(() => parseWebhookTarget(text, { ...policy, isOwn })).toThrow(expect.objectContaining(refused));
  });

  it.each([
    ['http://localhost:4000/', /https:\/\/.*namewatch webhooks listen/],
    ['https://localhost:4000/', /localhost.*namewatch webhooks listen/],
    ['https://10.0.0.1/', /not public.*WEBHOOK_ALLOW_NETWORKS/],
    ['https://hooks.example.com:22/', /Port 22 is not allowed: webhooks go to 443, or to 1024 and above/],
  ])('is refused with an error that names the broken rule and what to do: %s', (text, words) => {
    expect(() => parseWebhookTarget(text, policy)).toThrow(words);
  });

  it.each([
    '127.0.0.1',
    '127.1',
    '127.0.0.1.',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '017700000001',
    '0177.0.0.1',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '0',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '0xa9fea9fe',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.2.1',
    '224.0.0.1',
    '255.255.255.255',
    '[::]',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::a9fe:a9fe]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:1::1]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[2001:db8::1]',
    '[2a00:1:2:3:0:5efe:7f00:1]',
  ])('is refused because its address is not public: https://%s/', (host) => {
    expect(rejectionFor(`https://${host}/`)).toBe('target_not_allowed');
  });

  it.each([
    '',
    ' ',
    'hooks.example.com',
    '//hooks.example.com',
    'https:hooks.example.com',
    'https:/hooks.example.com',
    'https://',
    'https:///x',
    'https://?',
    'ftp://hooks.example.com/',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://hooks.example.com\\@127.0.0.1/',
    'https:\\\\hooks.example.com',
    'https://hooks.example\t.com/',
    'https://hooks.example.com/\nx-header: 1',
    'https://hooks.example.com/a b',
    'https://a\u0000b.example.com/',
    'https://hooks.example.com:65536/',
    'https://hooks.example.com:x/',
    'https://[::1/',
    'https://[fe80::1%25eth0]/',
    'https://a..example.com/',
    'https://-a.example.com/',
    `https://${'a'.repeat(64)}.com/`,
    'https://1.2.3.4.5/',
    'https://%68ooks%00.example.com/',
    'https://exa\u200bmple.com/',
    'https://ex\u202eample.com/',
    'https://\ud800.com/',
    `https://hooks.example.com/${'a'.repeat(2_048)}`,
    `https://hooks.example.com/${'ü'.repeat(400)}`,
  ])('is refused because it is not a valid HTTPS URL: %j', (text) => {
    expect(rejectionFor(text)).toBe('target_invalid');
  });

  it('is refused with an error that names the field `target`', () => {
    expect(() => parseWebhookTarget('x', policy)).toThrow(expect.objectContaining({ details: { field: 'target' } }));
  });

  it('has a normalized form that stays the same when it is normalized again', () => {
    fc.assert(
      fc.property(fc.webUrl({ validSchemes: ['https'], withQueryParameters: true, withFragments: true }), (url) => {
        fc.pre(rejectionFor(url) === 'taken');
        const { canonical } = parseWebhookTarget(url, policy);
        expect(parseWebhookTarget(canonical, policy).canonical).toBe(canonical);
      }),
    );
  });

  it('is accepted or refused for any text, without any other error', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText(),
          fc.string().map((s) => `https://${s}`),
        ),
        (text) => {
          expect(['taken', 'target_invalid', 'target_not_allowed']).toContain(rejectionFor(text));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
