import { describe, expect, it } from '@jest/globals';
import { inReleasePeriod } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { rdapNotFound, rdapRecord } from '../../../support/builders/rdap-answers.js';
import { NAME, notice, read, record, reply, verdictOf } from './rdap-reply.js';

const TERMS = 'You agree to use it for lawful purposes only. Access to restricted data is blocked, and not permitted.';

describe('a 404', () => {
  it.each([
    ['an RDAP error', rdapNotFound()],
    ['an empty object', {}],
    ['the code as a string', { errorCode: '404' }],
    ['null members', { errorCode: null, notices: null, description: null }],
    ['a bare title', { title: 'Not Found', description: 'No such domain' }],
    ['the terms of use', rdapNotFound(notice('Terms of Use', 'Access may be blocked. All rights reserved.'))],
    ['half a surrogate pair', rdapNotFound({ title: '\ud800' })],
    ['a copyright', rdapNotFound(notice('Notice', '(c) 2026 The Registry. All rights reserved.'))],
    ['terms without a title', rdapNotFound({ notices: [{ description: [TERMS] }] })],
    ['terms without a list', rdapNotFound({ notices: { description: TERMS } })],
    ['the status codes', rdapNotFound(notice('Status Codes', 'Reserved names are described at icann.org/epp'))],
  ])('of media type RDAP with %s is an absence', (_what, body) => {
    expect(verdictOf(reply(404, body))).toBe('absent by rdap.404');
  });

  it('without a body is an absence only with the RDAP media type', () => {
    expect(verdictOf(reply(404, ''))).toBe('absent by rdap.404.empty');
    expect(verdictOf(reply(404, ' \r\n'))).toBe('absent by rdap.404.empty');
    for (const mediaType of ['', 'text/html', 'application/json', 'application/problem+json'])
      expect(verdictOf(reply(404, '', { mediaType }))).toBe('registry_answer_unusable by rdap.404.unmarked');
  });

  it('with another media type is an absence if its body is RDAP', () => {
    const json = { mediaType: 'application/json' };
    expect(verdictOf(reply(404, { errorCode: 404 }, json))).toBe('absent by rdap.404');
    expect(verdictOf(reply(404, { rdapConformance: ['rdap_level_0'] }, json))).toBe('absent by rdap.404');
    expect(verdictOf(reply(404, { message: 'no Route matched' }, json))).toBe(
      'registry_answer_unusable by rdap.404.unmarked',
    );
  });

  it.each([
    ['<html>404</html>', 'not_json'],
    ['"not found"', 'not_json'],
    ['[]', 'not_json'],
    ['null', 'not_json'],
    ['{"errorCode":404', 'not_json'],
    ['{"errorCode":404}\0', 'not_json'],
    ['{"errorCode":500}', 'contradiction'],
    ['{"errorCode":[404]}', 'contradiction'],
    ['{"errorCode":{}}', 'contradiction'],
    [JSON.stringify(record()), 'contradiction'],
  ])('with the body %.40s is unusable', (body, rule) => {
    expect(verdictOf(reply(404, body))).toBe(`registry_answer_unusable by rdap.404.${rule}`);
  });

  it.each([
    ['Blocked Domain', 'This name has been blocked by a GlobalBlock service'],
    ['Reserved', ''],
    ['Not Found', 'The domain is RESERVED by the registry.'],
    ['This name is not available for registration:', 'Registry Reserved'],
    ['Not Found', 'This name cannot be registered.'],
    ['Not Found', 'The domain is not available for registration.'],
    ['Not Found', 'Registration of this name is not permitted.'],
    ['Premium', 'This premium name is reserved.'],
  ])('that says "%s: %s" is a reservation', (title, description) => {
    expect(verdictOf(reply(404, rdapNotFound(notice(title, description))))).toBe('reserved by rdap.404.reserved');
    expect(verdictOf(reply(404, { errorCode: 404, title, description }))).toBe('reserved by rdap.404.reserved');
    const remark = { remarks: [{ description: [title, description] }] };
    expect(verdictOf(reply(404, rdapNotFound(remark)))).toBe('reserved by rdap.404.reserved');
  });

  it.each(['This is a premium domain.', 'The domain is available in the Early Access Period.'])(
    'that says "%s" is an offer at a premium price',
    (description) => {
      const reading = read(reply(404, rdapNotFound(notice('Notice', description))));
      expect(reading).toMatchObject({ rule: 'rdap.404.premium', facts: { outcome: 'absent', registrable: 'premium' } });
    },
  );

  it.each([
    'Query limit exceeded',
    'The domain is not available, query rate limit exceeded',
    'You have exceeded the maximum number of queries',
    'Too many requests from your address; reserved for registrars',
    'Your IP address has been temporarily blocked',
  ])('that says "%s" is a throttling, whatever else it says', (description) => {
    expect(verdictOf(reply(404, rdapNotFound({ description })))).toBe('registry_throttled by rdap.404.quota');
  });

  it.each([
    'TLD not supported by this server',
    'No RDAP service for this zone',
    'Invalid domain name',
    'Service is currently unavailable',
    'The requested URL was not found on this server',
    'No such route',
    'Access denied',
    'Try again later',
  ])('that says "%s" is unusable', (description) => {
    expect(verdictOf(reply(404, rdapNotFound({ description: [description] })))).toBe(
      'registry_answer_unusable by rdap.404.refused',
    );
  });

  it('is not misread by the words inside of the name', () => {
    for (const name of [
      'premium.app',
      'reserved-names.com',
      'quota-exceeded.com',
      'invalid.de',
      'xn--gesperrt-blocked-u3b.de',
    ]) {
      const said = rdapNotFound({ description: [`The domain ${name.toUpperCase()} was not found.`] });
      expect(verdictOf(reply(404, said), name)).toBe('absent by rdap.404');
    }
  });
});

describe('a name in a release period by its status', () => {
  it.each([
    ['a 404', reply(404, { ...rdapNotFound(), status: ['auction pending'] }), 'rdap.404.auction'],
    ['a record', reply(200, { objectClassName: 'domain', ldhName: NAME, status: ['at auction'] }), 'rdap.200.auction'],
  ])('is neither free nor registered: %s', (_what, answer, rule) => {
    expect(read(answer)).toMatchObject({ rule, facts: inReleasePeriod('auction') });
  });

  it('counts in .br if its record is empty, and is registered in other TLDs', () => {
    const bare = (ldhName: string) => reply(200, { objectClassName: 'domain', ldhName, status: [] });
    const name = 'example.com.br';
    expect(read(bare(name), name)).toMatchObject({ facts: inReleasePeriod('release_process') });
    expect(verdictOf(bare(NAME))).toBe('found by rdap.200');
    const held = { ...rdapRecord(name), status: [] };
    expect(verdictOf(reply(200, held), name)).toBe('found by rdap.200');
  });
});

describe('a 404 for a name in a release period', () => {
  it.each([
    ['expiry_access_period', 'This domain is currently available for registration in the Expiry Access Period'],
    ['dropzone', 'This domain is currently available for application via the Identity Digital Dropzone service.'],
    ['dropzone', 'This domain is currently available for application via the Donuts Dropzone service.'],
    ['auction', 'Auction pending'],
    ['auction', 'The domain is being auctioned'],
  ])('is no absence: %s', (release, text) => {
    for (const body of [rdapNotFound(notice('Domain Status', text)), { errorCode: 404, title: text }]) {
      const got = read(reply(404, body));
      expect(got).toMatchObject({
        rule: `rdap.404.${release}`,
        facts: { outcome: 'reserved', registrable: 'unknown', quarantine: 'pending_delete', release },
      });
    }
  });
});

describe('a 404 that is not completely readable', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const many = <T>(one: T) => [...Array<T>(64).fill(one)];
  const kept = 'This name is reserved';

  it('is still read when nested fifty levels deep', () => {
    expect(verdictOf(reply(404, `{"errorCode":404,"x":${nested(49)}}`))).toBe('absent by rdap.404');
    expect(verdictOf(reply(404, `{"errorCode":404,"x":${nested(50)}}`))).toMatch(/^registry_answer_unusable/);
    expect(verdictOf(reply(404, `{"errorCode":404,"x":"${'['.repeat(100)}\\"${'{'.repeat(100)}"}`))).toBe(
      'absent by rdap.404',
    );
  });

  it.each([
    ['a notice behind many', { notices: [...many({ title: 'x' }), { title: 'Reserved', description: [kept] }] }],
    ['a remark behind many', { remarks: [...many({ title: 'x' }), { title: 'Reserved', description: [kept] }] }],
    ['a line behind many', { description: [...many('Not found'), kept] }],
    ['a status behind many', { status: [...many('free'), 'reserved'] }],
    ['words behind many others', { description: [`Not found ${'x '.repeat(1_000)} ${kept}`] }],
    ['a title behind many others', { title: `Not found ${'x '.repeat(1_000)} ${kept}` }],
  ])('is no absence: %s', (_what, members) => {
    expect(verdictOf(reply(404, { errorCode: 404, ...members }))).toMatch(/^registry_answer_unusable/);
  });

  it('is read after any padding', () => {
    const title = `Not found ${' '.repeat(2_000)} ${kept}`;
    expect(verdictOf(reply(404, { errorCode: 404, title }))).toBe('reserved by rdap.404.reserved');
    expect(verdictOf(reply(404, { errorCode: 404, ...notice('x', title) }))).toBe('reserved by rdap.404.reserved');
  });

  it('is no absence with control characters, however they are written', () => {
    for (const control of ['\\u0000', '\\b', '\\f', '\\u001B', '\\u007f', '\\\\\\u0001'])
      expect(verdictOf(reply(404, `{"errorCode":404,"lang":"a${control}"}`))).toBe(
        'registry_answer_unusable by rdap.404.control_characters',
      );
    for (const harmless of ['\\t\\r\\n', '\\\\u0000', '\\\\b', '\\u00e9', '\\/b'])
      expect(verdictOf(reply(404, `{"errorCode":404,"lang":"a${harmless}"}`))).toBe('absent by rdap.404');
  });

  it('is a reservation even with invisible characters in "reserved"', () => {
    const words = notice('Re\u00adserved', 'This name is re\u200bserved');
    expect(verdictOf(reply(404, { errorCode: 404, ...words }))).toBe('reserved by rdap.404.reserved');
  });
});

describe('a record that is not completely readable', () => {
  it.each([
    ['a status after many', [...Array<string>(64).fill('free'), 'active']],
    ['the end of a long status', ['x'.repeat(500 * 1_024)]],
  ])('is not free when %s may say otherwise', (_what, status) => {
    expect(verdictOf(reply(200, { objectClassName: 'domain', ldhName: 'example.com', status }))).toMatch(
      /^registry_answer_unusable/,
    );
  });

  it('is unusable when it is nested too deep', () => {
    expect(
      verdictOf(reply(200, JSON.stringify(record()).replace(/}$/, `,"x":${'['.repeat(60)}${']'.repeat(60)}}`))),
    ).toMatch(/^registry_answer_unusable/);
  });
});
