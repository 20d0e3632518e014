import { describe, expect, it } from '@jest/globals';
import { deriveLifecycle } from '../../../../src/domains/domain/lifecycle/lifecycle.js';
import { rdapNotFound, rdapRecord } from '../../../support/builders/rdap-answers.js';
import { NAME, notice, now, read, record, reply, verdictOf } from './rdap-reply.js';

/** A record of an unregistered name: without contacts and servers. */
const freeRecord = (changes: Record<string, unknown> = {}) =>
  record({ status: ['free'], entities: [], events: undefined, ...changes });

describe('an RDAP answer with status 200', () => {
  it('is read as a registration with the registry’s dates and normalized statuses', () => {
    const registered = new Date('1995-08-14T04:00:00Z');
    const body = {
      ...rdapRecord(NAME, { statuses: ['clientHold', 'PENDING DELETE', 'ok'], registeredAt: registered }),
      ldhName: 'EXAMPLE.COM.',
    };
    body.events.push({ eventAction: 'Expiration', eventDate: '2028-08-13T04:00:00+0000' });
    body.events.push({ eventAction: 'registrar expiration', eventDate: '2030-01-01T00:00:00Z' });
    expect(read(reply(200, body))).toMatchObject({
      rule: 'rdap.200',
      facts: {
        outcome: 'found',
        statuses: ['client hold', 'pending delete', 'active'],
        registeredAt: registered,
        expiresAt: new Date('2028-08-13T04:00:00Z'),
        publishesExpiry: true,
      },
    });
  });

  it.each([
    ['no events', { events: undefined }],
    ['only the registrar’s expiration', { events: [{ eventAction: 'registrar expiration', eventDate: '2030-01-01' }] }],
    ['an unreadable expiration', { events: [{ eventAction: 'expiration', eventDate: '13.8.2028' }] }],
    ['the year 1 as its expiration', { events: [{ eventAction: 'expiration', eventDate: '0001-01-01T00:00:00Z' }] }],
    [
      'two expirations that differ',
      { events: ['2028-01-01', '2029-01-01'].map((eventDate) => ({ eventAction: 'expiration', eventDate })) },
    ],
    ['malformed events', { events: [null, 'expiration', { eventAction: 7, eventDate: {} }] }],
  ])('gives no expiry date if it has %s', (_what, changes) => {
    expect(read(reply(200, record(changes)))).toMatchObject({
      facts: { outcome: 'found', expiresAt: null, publishesExpiry: null },
    });
  });

  it.each([
    [{ eventAction: 'Record expires', eventDate: '2028-08-13T04:00Z' }, '2028-08-13T04:00:00Z'],
    [{ eventAction: 'EXPIRATION', eventDate: '2028-08-13 04:00:00 UTC' }, '2028-08-13T04:00:00Z'],
    [{ eventAction: 'soft expiration', eventDate: '2028-08-13' }, null],
    [{ eventAction: 'last changed', eventDate: '2028-08-13' }, null],
  ])('turns the event %j into the expiry date %s', (event, instant) => {
    const expiresAt = instant === null ? null : new Date(instant);
    expect(read(reply(200, record({ events: [event] })))).toMatchObject({ facts: { outcome: 'found', expiresAt } });
  });

  it('shows that the registry publishes no expiry dates if the expiry date is redacted', () => {
    const out = (type: string) => record({ events: [], redacted: [{ name: { type }, method: 'removal' }] });
    const says = (publishesExpiry: boolean | null) => ({
      facts: { outcome: 'found', expiresAt: null, publishesExpiry },
    });
    expect(read(reply(200, out('Registry Domain Expiration Date')))).toMatchObject(says(false));
    expect(read(reply(200, out('Registrar Expiration Date')))).toMatchObject(says(null));
    expect(read(reply(200, out('Registrant Name')))).toMatchObject(says(null));
  });

  it('counts as a registration without objectClassName only if it has other domain members', () => {
    const { objectClassName, ...rest } = record();
    expect(objectClassName).toBe('domain');
    expect(verdictOf(reply(200, { ...rest, events: [], nameservers: [] }))).toBe('found by rdap.200');
    expect(verdictOf(reply(200, { ldhName: NAME }))).toBe('registry_answer_unusable by rdap.200.not_a_domain');
  });

  it.each([
    [['https://icann.org/epp#pendingDelete'], ['pending delete']],
    [
      ['pending_delete', 'REDEMPTION_PERIOD'],
      ['pending delete', 'redemption period'],
    ],
  ])('is read with its statuses in another spelling: %j', (status, statuses) => {
    expect(read(reply(200, record({ status })))).toMatchObject({ facts: { statuses } });
  });

  it.each([
    ['a list of results', { domainSearchResults: [record()] }],
    ['an error object that is not RDAP', { error: 'not found', status: 404 }],
  ])('is unusable if it is %s', (_what, body) => {
    expect(verdictOf(reply(200, body))).toBe('registry_answer_unusable by rdap.200.not_a_domain');
  });

  it.each([
    ['a status without a list', { status: 'client hold' }, ['client hold']],
    ['no status at all', { status: undefined }, []],
    ['nonsense in its list of statuses', { status: [null, 7, {}, '', 'active', 'ACTIVE'] }, ['active']],
    ['an event without a list', { events: { eventAction: 'expiration', eventDate: '2028-01-01' } }, ['active']],
  ])('is read as a registration even if it has %s', (_what, changes, statuses) => {
    expect(read(reply(200, record(changes)))).toMatchObject({
      rule: 'rdap.200',
      facts: { outcome: 'found', statuses },
    });
  });

  it('is matched to the queried name by its Unicode name if it has no ASCII name', () => {
    const body = { objectClassName: 'domain', unicodeName: 'MÜNCHEN.de' };
    expect(verdictOf(reply(200, body), 'xn--mnchen-3ya.de')).toBe('found by rdap.200');
    expect(verdictOf(reply(200, { ...body, ldhName: 'other.de' }), 'xn--mnchen-3ya.de')).toBe(
      'registry_answer_unusable by rdap.200.other_name',
    );
  });

  it.each([
    ['<html>please log in</html>', 'not_json'],
    ['', 'not_json'],
    ['[]', 'not_json'],
    ['{}', 'not_a_domain'],
    [JSON.stringify(rdapNotFound()), 'error'],
    [JSON.stringify(record({ objectClassName: 'nameserver' })), 'not_a_domain'],
    [JSON.stringify(record({ ldhName: 'example.org' })), 'other_name'],
    [JSON.stringify(record({ ldhName: 'sub.example.com' })), 'other_name'],
    [JSON.stringify(record({ ldhName: undefined })), 'other_name'],
    [JSON.stringify(record({ ldhName: { toString: 'x' } })), 'other_name'],
    [JSON.stringify(rdapRecord(NAME, { statuses: ['free'], registeredAt: now })), 'contradiction'],
  ])('is unusable unless its body is a consistent record of the queried name: case %#', (body, rule) => {
    expect(verdictOf(reply(200, body))).toBe(`registry_answer_unusable by rdap.200.${rule}`);
  });

  it.each([
    { nameservers: [{ objectClassName: 'nameserver', ldhName: 'ns1.example.net' }] },
    { entities: [{ objectClassName: 'entity', roles: ['registrar'] }] },
    { secureDNS: { delegationSigned: true } },
    { events: rdapRecord(NAME, { expiresAt: now }).events },
  ])('is unusable if its status is free but it shows a registration: %j', (facts) => {
    expect(verdictOf(reply(200, freeRecord(facts)))).toBe('registry_answer_unusable by rdap.200.contradiction');
  });

  it.each([
    ['reserved by rdap.200.reserved', { remarks: [{ description: ['This name is reserved.'] }] }],
    ['reserved by rdap.200.reserved', notice('Registry policy', 'This name is blocked.')],
    ['registry_throttled by rdap.200.quota', notice('Notice', 'Query limit exceeded')],
    ['registry_answer_unusable by rdap.200.refused', notice('Notice', 'Backend offline')],
    ['absent by rdap.200.premium', notice('Notice', 'This is a premium name')],
  ])('is judged by a text beside the status "free": %s with %j', (verdict, words) => {
    expect(verdictOf(reply(200, freeRecord(words)))).toBe(verdict);
  });

  it('means available only if "free" or "available" is its only status', () => {
    expect(verdictOf(reply(200, freeRecord({ status: ['Free'] })))).toBe('absent by rdap.200.free');
    expect(verdictOf(reply(200, freeRecord({ status: ['available'] })))).toBe('absent by rdap.200.free');
    expect(verdictOf(reply(200, record({ status: ['free', 'active'] })))).toBe('found by rdap.200');
    expect(verdictOf(reply(200, record({ status: ['not available'] })))).toBe('found by rdap.200');
    expect(verdictOf(reply(200, record({ status: [] })))).toBe('found by rdap.200');
  });

  it('means reserved if it says "reserved" and has no registration date', () => {
    expect(verdictOf(reply(200, record({ status: ['reserved'] })))).toBe('reserved by rdap.200.reserved');
    const remarks = [{ title: 'Registry Reserved', description: ['This name is reserved.'] }];
    expect(verdictOf(reply(200, record({ remarks })))).toBe('reserved by rdap.200.reserved');
    expect(verdictOf(reply(200, { ...rdapRecord(NAME, { registeredAt: now }), remarks }))).toBe('found by rdap.200');
  });

  it('means throttled if a query limit was exceeded, not if terms mention limits', () => {
    const quota = { title: 'Quota exceeded 31/30', description: 'Your quota is used up.' };
    expect(verdictOf(reply(200, record({ notices: quota })))).toBe('registry_throttled by rdap.200.quota');
    const rules = ['Queries are throttled per IP address.', 'You are blocked if the limit is exceeded.'];
    expect(verdictOf(reply(200, record(notice('Rate limits', ...rules))))).toBe('found by rdap.200');
  });
});

describe('the phase of a .uk name', () => {
  const uk = (daysAgo: number | null, ...statuses: string[]) => {
    const expiresAt = daysAgo === null ? null : new Date(now.getTime() - daysAgo * 86_400_000);
    const events = expiresAt ? [{ eventAction: 'expiration', eventDate: expiresAt.toISOString() }] : [];
    const got = read(reply(200, record({ ldhName: 'lapsed.co.uk', status: statuses, events })), 'lapsed.co.uk');
    return got.kind === 'facts' ? deriveLifecycle(got.facts, 30, now) : got.code;
  };

  it('is redemption until 90 days after expiry if the status is "pending delete"', () => {
    expect(uk(31, 'pending delete')).toEqual({ status: 'pending_delete', phase: 'redemption' });
    expect(uk(89.9, 'pending delete')).toEqual({ status: 'pending_delete', phase: 'redemption' });
    expect(uk(90, 'pending delete')).toEqual({ status: 'pending_delete', phase: 'pending_delete' });
  });

  it('follows the stated statuses if there is no expiry date or another status', () => {
    expect(uk(null, 'pending delete')).toEqual({ status: 'pending_delete', phase: 'pending_delete' });
    expect(uk(60, 'active')).toEqual({ status: 'expiring', phase: 'expired_grace' });
    expect(uk(92, 'redemption period', 'pending delete')).toEqual({ status: 'pending_delete', phase: 'redemption' });
  });
});
