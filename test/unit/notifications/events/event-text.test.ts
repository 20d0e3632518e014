import { describe, expect, it } from '@jest/globals';
import { toChannelEventText, toEventText } from '../../../../src/notifications/domain/event-text.js';
import type { WatchlistEventData } from '../../../../src/watchlist/language.js';
import { aChange } from '../../../support/builders/notification-events.js';

type Changes = Partial<WatchlistEventData>;
const headline = (type: string, changes: Changes) => toEventText(`watchlist.${type}`, aChange(changes)).headline;

describe('the text of an event', () => {
  it.each<[string, Changes, string]>([
    ['available', {}, 'lapsed.example is now available'],
    ['available', { move: 'discovered' }, 'lapsed.example is available'],
    ['phase_changed', { move: 'discovered', phase: 'hold' }, 'lapsed.example is on hold'],
    ['status_changed', { move: 'caught', status: 'registered' }, 'lapsed.example has been registered by someone'],
    ['status_changed', { move: 'restored', status: 'registered' }, 'lapsed.example has been restored'],
    ['status_changed', { move: 'renewed', status: 'registered' }, 'lapsed.example has been renewed'],
    ['status_changed', { move: 'expiring', phase: 'expiring' }, 'lapsed.example is now about to expire'],
    [
      'status_changed',
      { move: 'expiring', phase: 'expiring', expires_at: '2026-12-01T02:00:00.000Z' },
      'lapsed.example expires on 1 December 2026',
    ],
    [
      'status_changed',
      { move: 'expiring', phase: 'expired_grace' },
      'lapsed.example has expired and is in its grace period',
    ],
    [
      'status_changed',
      { move: 'deletion_started', phase: 'redemption' },
      'lapsed.example is now in its redemption period',
    ],
    ['phase_changed', { move: 'phase_changed', phase: 'pending_delete' }, 'lapsed.example is now pending deletion'],
    ['phase_changed', { move: 'phase_changed', phase: 'hold' }, 'lapsed.example is now on hold'],
    [
      'expiring',
      { move: null, threshold_days: 60, expires_at: '2026-12-28T02:00:00.000Z' },
      'lapsed.example expires on 28 December 2026',
    ],
    [
      'expiring',
      { move: null, threshold_days: 1, expires_at: '2026-11-23T23:30:00.000Z' },
      'lapsed.example expires on 23 November 2026',
    ],
    [
      'expiring',
      { move: null, threshold_days: 14, renewal: { on: '2026-12-02', note: null } },
      'lapsed.example is due for renewal on 2 December 2026',
    ],
    ['check_failing', { move: null }, 'lapsed.example cannot be checked: its registry gives no answer'],
    ['check_recovered', { move: null }, 'lapsed.example can be checked again'],
  ])('has a headline: watchlist.%s with %j gives "%s"', (type, changes, words) => {
    expect(headline(type, changes)).toBe(words);
  });

  it('shows values that differ from the expected ones, and says when all are as expected again', () => {
    const data = {
      ...aChange({ status: 'registered', phase: 'registered', move: null, purpose: 'own' }),
      drift: ['nameservers', 'locked'],
      previous_drift: [],
      expected: { nameservers: ['ns1.example.net'], locked: true },
      actual: { nameservers: ['ns1.other.net'], registrar_id: null, locked: false },
    };
    const { headline, advice, facts } = toEventText('watchlist.drift_changed', data);
    expect(headline).toBe('lapsed.example is not as expected: name servers, transfer lock');
    expect(advice).toHaveLength(1);
    expect(facts).toEqual(
      expect.arrayContaining([
        { label: 'Name servers expected', value: 'ns1.example.net' },
        { label: 'Name servers now', value: 'ns1.other.net' },
        { label: 'Transfer lock expected', value: 'locked' },
        { label: 'Transfer lock now', value: 'not locked' },
      ]),
    );
    const over = { ...data, drift: [], previous_drift: ['locked'] };
    expect(toEventText('watchlist.drift_changed', over).headline).toBe('lapsed.example is as expected again');
  });

  it('says "not checked yet" instead of status and phase before the first successful check', () => {
    const never = aChange({ status: 'registered', phase: 'registered', move: null, confirmed_at: null });
    const { facts } = toEventText('watchlist.check_failing', never);
    expect(facts).toContainEqual({ label: 'Status', value: 'not checked yet' });
    expect(facts.map(({ label }) => label)).toEqual(['Domain', 'Status']);
  });

  it.each([
    ['registry_timeout', 'its registry does not answer in time'],
    ['registry_unreachable', 'its registry cannot be reached'],
    ['a code of a later version', 'its registry gives no answer'],
  ])('says in the headline why a name cannot be checked, for this code: %s', (code, reason) => {
    const failing = { ...aChange({ move: null }), code, since: '2026-11-22T21:30:05.123Z' };
    const { headline, advice } = toEventText('watchlist.check_failing', failing);
    expect(headline).toBe(`lapsed.example cannot be checked: ${reason}`);
    expect(advice).toEqual([
      'Checks have failed since 22 November 2026, 21:30 UTC. They go on, and you hear when one succeeds.',
      'Its status is that of the last answer, and may have changed since.',
    ]);
  });

  it('contains the tags and the note of the watchlist entry', () => {
    const { facts } = toEventText('watchlist.available', aChange({ tags: ['brand', 'shop'], note: 'Ask Ada.' }));
    expect(facts).toContainEqual({ label: 'Tags', value: 'brand, shop' });
    expect(facts).toContainEqual({ label: 'Note', value: 'Ask Ada.' });
  });

  it.each([
    ['expiring', '2026-12-01T02:00:00.000Z', { label: 'Expires', value: '1 December 2026' }],
    ['expired_grace', '2026-11-20T02:00:00.000Z', { label: 'Expired', value: '20 November 2026' }],
    [
      'expired_grace',
      '2027-11-20T02:00:00.000Z',
      { label: 'Renewed by its registry until', value: '20 November 2027' },
    ],
    ['redemption', '2026-11-20T02:00:00.000Z', { label: 'Expired', value: '20 November 2026' }],
    ['registered', null, { label: 'Expires', value: 'not published by its registry' }],
  ] as const)('says for a name in the phase %s what the expiry date %s means', (phase, expires_at, fact) => {
    const { facts } = toEventText('watchlist.status_changed', aChange({ status: 'expiring', phase, expires_at }));
    expect(facts).toContainEqual(fact);
  });

  it.each([
    ['grace', { phase: 'expired_grace', status: 'expiring' }, /Renew it with your registrar today/],
    ['redemption', { phase: 'redemption', status: 'pending_delete' }, /at once to restore it/],
    ['deletion', { phase: 'pending_delete', status: 'pending_delete' }, /cannot be restored any more/],
  ] as const)('tells the owner of a name what is possible in this phase: %s', (_, changes, advice) => {
    const own = aChange({ ...changes, purpose: 'own' });
    expect(toEventText('watchlist.status_changed', own).advice.join(' ')).toMatch(advice);
  });

  it('shows a name in ASCII in the headline, and in ASCII and Unicode in the facts', () => {
    const words = toEventText(
      'watchlist.available',
      aChange({ domain: 'xn--80ak6aa92e.com', domain_unicode: 'аррӏе.com' }),
    );
    expect(words.headline).toBe('xn--80ak6aa92e.com is now available');
    expect(words.facts).toContainEqual({ label: 'Domain', value: 'xn--80ak6aa92e.com (аррӏе.com)' });
  });

  it('shows the previous and the new status together in one fact', () => {
    expect(toEventText('watchlist.available', aChange()).facts).toEqual([
      { label: 'Domain', value: 'lapsed.example' },
      { label: 'Status', value: 'pending deletion → available' },
      { label: 'Confirmed', value: '23 November 2026, 09:00 UTC, by RDAP' },
    ]);
  });

  it('shows no previous status when a registry answers for the first time', () => {
    const first = aChange({ move: 'discovered', previous_status: 'registered', previous_phase: 'registered' });
    const { facts } = toEventText('watchlist.available', first);
    expect(facts).toContainEqual({ label: 'First answer', value: 'available' });
    expect(JSON.stringify(facts)).not.toMatch(/registered|→/);
  });

  it('mentions in the grace period that the owner may already have paid', () => {
    const { advice } = toEventText('watchlist.status_changed', aChange({ phase: 'expired_grace', status: 'expiring' }));
    expect(advice.join(' ')).toMatch(/may already have paid/);
  });

  it.each([
    ['nameservers', ['ns1.a.net', 'ns2.a.net'], [], 'ns1.a.net, ns2.a.net', 'none', 'has other name servers'],
    [
      'registrar',
      { name: 'One', iana_id: '1' },
      { name: null, iana_id: '2' },
      'One, IANA 1',
      'IANA 2',
      'has another registrar',
    ],
    [
      'ds',
      [],
      [{ key_tag: 1, algorithm: 13, digest_type: 2, digest: 'AB' }],
      'none',
      '1 13 2 AB',
      'has other DS records',
    ],
  ] as const)('shows the old and the new value when this changes: %s', (kind, before, after, was, is, predicate) => {
    const { headline, advice, facts } = toEventText('watchlist.record_changed', {
      ...aChange({ move: null, status: 'registered', purpose: 'own' }),
      ...{ kind, before, after },
    });
    expect(headline).toBe(`lapsed.example ${predicate}`);
    expect(advice).toEqual([expect.stringContaining('If you did not do this')]);
    expect(facts.filter(({ label }) => / (before|now)$/.test(label)).map(({ value }) => value)).toEqual([was, is]);
  });

  it('gives advice that depends on the purpose of the watchlist entry', () => {
    const adviceFor = (changes: Changes) => toEventText('watchlist.available', aChange(changes)).advice.join(' ');
    expect(adviceFor({ purpose: 'acquire' })).toMatch(/Anyone can register it now/);
    expect(adviceFor({ purpose: 'own' })).toMatch(/if it was yours/);
    expect(adviceFor({ purpose: 'monitor' })).toBe('');
    expect(adviceFor({ purpose: 'own', status: 'expiring', phase: 'expiring' })).toMatch(/Renew it/);
  });
});

describe('the text of an event about a channel', () => {
  it('says that a test message is a test', () => {
    const words = toChannelEventText({ channel_id: 'nc_1', message: 'This is a test.' });
    expect(words).toMatchObject({ headline: 'Test of a notification channel', advice: ['This is a test.'] });
  });

  it.each([
    ['gone', /wants no more/],
    ['failing', /five days/],
    ['unsubscribed', /unsubscribed/],
    ['something new', /something new/],
  ])('says why a channel was disabled, for the reason: %s', (reason, why) => {
    const words = toChannelEventText({ channel_id: 'nc_1', type: 'webhook', reason });
    expect(words.headline).toBe('A channel of type webhook was disabled');
    expect(words.advice[0]).toMatch(why);
    expect(words.facts).toEqual([{ label: 'Channel', value: 'nc_1' }]);
  });

  it('quotes the reason why a receiver wants no more messages', () => {
    const detail = 'the token was revoked';
    const words = toChannelEventText({ channel_id: 'nc_1', type: 'pager', reason: 'gone', detail });
    expect(words.advice[0]).toBe('Its receiver wants no more messages: the token was revoked.');
  });
});
