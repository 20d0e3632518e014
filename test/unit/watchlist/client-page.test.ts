import { describe, expect, it } from '@jest/globals';
import { toClientPage, toRefusalPage } from '../../../src/watchlist/client-pages/client-page.html.js';
import { type ClientName, toClientRow } from '../../../src/watchlist/domain/client-page.js';
import { comingMonths } from '../../../src/watchlist/domain/months.js';
import { HOSTILE_TEXTS } from '../../support/builders/hostile-events.js';

const NOW = new Date('2026-11-28T12:00:00Z');
const NAME: ClientName = {
  domain: 'shop.example',
  ...{ status: 'registered', phase: 'registered', purpose: 'own' },
  ...{ paused: false, failing: false, answered: true, drift: false },
  expiresAt: new Date('2027-06-01T13:00:00Z'),
  renewalOn: null,
};
const rowOf = (changes: Partial<ClientName> = {}) => toClientRow({ ...NAME, ...changes }, NOW);
const MONTHS = comingMonths(NOW).map((month, n) => ({ month, names: n === 1 ? 5_000 : n === 3 ? 1 : 0 }));
const pageOf = (title: string, changes: { domain?: string; unicode?: string } = {}) => {
  const row = { ...rowOf(), unicode: 'shop.example', ...changes };
  return toClientPage({ title, rows: [row], total: 1, months: MONTHS, now: NOW });
};

describe('a name on a client’s page', () => {
  it.each<[string, Partial<ClientName>]>([
    ['Watched; nothing to do', {}],
    ['Renewal planned for 1 Mar 2027', { renewalOn: '2027-03-01' }],
    ['Renew it before it expires', { expiresAt: new Date('2026-12-10T00:00:00Z') }],
    ['Renewal planned for 5 Dec 2026', { expiresAt: new Date('2026-12-10T00:00:00Z'), renewalOn: '2026-12-05' }],
    ['Renew it now', { phase: 'expired_grace', renewalOn: '2026-12-05' }],
    ['Watched until it is renewed or deleted', { phase: 'expired_grace', purpose: 'monitor' }],
    ['Restore it at its registrar now', { phase: 'redemption' }],
    ['Anyone can register it: register it again now', { status: 'available', phase: 'available' }],
    ['Register it now', { status: 'available', phase: 'available', purpose: 'acquire' }],
    ['Wanted: watched until it becomes available', { purpose: 'acquire' }],
    ['Its registration data changed: check them', { drift: true }],
    ['Its registry does not answer at the moment; the state is the last known one', { failing: true }],
    ['Not watched at the moment; the state is the last known one', { paused: true, phase: 'expired_grace' }],
  ])('has the next step that fits the name’s state: %s', (next, changes) => {
    expect(rowOf(changes).next).toBe(next);
  });

  it('has the state "Not checked yet" and no expiry date until the registry has answered', () => {
    const unanswered = { answered: false, status: 'available', phase: 'available', purpose: 'acquire' } as const;
    const { state, expiresAt } = rowOf(unanswered);
    expect([state, expiresAt]).toEqual(['Not checked yet', null]);
    expect(rowOf({ ...unanswered, purpose: 'monitor' }).next).toBe('Its registry has not answered yet');
  });
});

describe('a client’s page of watched names', () => {
  it('labels its chart and each bar with the number of expiring names per month', () => {
    const [label = ''] = /aria-label="[^"]*"/.exec(pageOf('Acme')) ?? [];
    expect(label).toBe('aria-label="Names that expire. December 2026: 5,000; February 2027: 1."');
    expect(pageOf('Acme')).toContain('<title>November 2026: 0</title>');
  });

  it('shows a Unicode name together with its ASCII form', () => {
    const page = pageOf('Acme', { domain: 'xn--mnchen-3ya.example', unicode: 'münchen.example' });
    expect(page).toContain('<bdi>münchen.example</bdi><small>xn--mnchen-3ya.example</small>');
  });

  it.each(Object.entries(HOSTILE_TEXTS))(
    'gets no HTML tags or control characters from hostile titles and names: %s',
    (_, text) => {
      const usual = pageOf('Acme', { unicode: 'ü.example' }).match(/<[a-z!/]/g);
      const page = pageOf(text, { domain: text, unicode: `${text}"'` });
      const tags = page.match(/<[a-z!/]/g) ?? [];
      expect(tags.filter((tag) => tag !== '<s')).toEqual(usual?.filter((tag) => tag !== '<s'));
      expect(page.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      expect(toRefusalPage(text)).not.toMatch(/<img|<https|<at>|<@/);
    },
  );

  it('has no scripts, links, forms, inline styles or external resources', () => {
    expect(pageOf('Acme')).not.toMatch(/<script|<a |href|<form|<img|src=|style=|url\(|@import/);
  });
});
