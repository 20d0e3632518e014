import { describe, expect, it } from '@jest/globals';
import { inReleasePeriod } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { rdapNotFound, rdapRecord } from '../../../support/builders/rdap-answers.js';
import { NAME, notice, read, record, reply, verdictOf } from './rdap-reply.js';

const TERMS = 'You agree to use it for lawful purposes only. Access to restricted data is blocked, and not permitted.';

describe('an RDAP answer with status 404', () => {
  it.each([
    ['an RDAP error', rdapNotFound()],
    ['an empty object', {}],
    ['the error code as a string', { errorCode: '404' }],
    ['null members', { errorCode: null, notices: null, description: null }],
    ['only a title and a description', { title: 'Not Found', description: 'No such domain' }],
    ['terms of use', rdapNotFound(notice('Terms of Use', 'Access may be blocked. All rights reserved.'))],
    ['half a surrogate pair', rdapNotFound({ title: '\ud800' })],
    ['a copyright notice', rdapNotFound(notice('Notice', '(c) 2026 The Registry. All rights reserved.'))],
    ['terms without a title', rdapNotFound({ notices: [{ description: [TERMS] }] })],
    ['terms that are not in a list', rdapNotFound({ notices: { description: TERMS } })],
    [
      'a notice about status codes',
      rdapNotFound(notice('Status Codes', 'Reserved names are described at icann.org/epp')),
    ],
  ])('means not found if it has the RDAP media type and %s', (_what, body) => {
    expect(verdictOf(reply(404, body))).toBe('absent by rdap.404');
  });

  it('means not found with an empty body only if it has the RDAP media type', () => {
    expect(verdictOf(reply(404, ''))).toBe('absent by rdap.404.empty');
    expect(verdictOf(reply(404, ' \r\n'))).toBe('absent by rdap.404.empty');
    for (const mediaType of ['', 'text/html', 'application/json', 'application/problem+json'])
      expect(verdictOf(reply(404, '', { mediaType }))).toBe('registry_answer_unusable by rdap.404.unmarked');
  });

  it('means not found with another media type only if its body is RDAP', () => {
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
  ])('is unusable with this body: %j', (body, rule) => {
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
  ])('means reserved if it says "%s: %s"', (title, description) => {
    expect(verdictOf(reply(404, rdapNotFound(notice(title, description))))).toBe('reserved by rdap.404.reserved');
    expect(verdictOf(reply(404, { errorCode: 404, title, description }))).toBe('reserved by rdap.404.reserved');
    const remark = { remarks: [{ description: [title, description] }] };
    expect(verdictOf(reply(404, rdapNotFound(remark)))).toBe('reserved by rdap.404.reserved');
  });

  it.each(['This is a premium domain.', 'The domain is available in the Early Access Period.'])(
    'means available at a premium price if it says "%s"',
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
  ])('means throttled if it says "%s"', (description) => {
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
  ])('is unusable if it says "%s"', (description) => {
    expect(verdictOf(reply(404, rdapNotFound({ description: [description] })))).toBe(
      'registry_answer_unusable by rdap.404.refused',
    );
  });

  it('means not found even if the queried name contains words such as "reserved" or "premium"', () => {
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

describe('a name in auction or another release period', () => {
  it.each([
    ['a 404 answer', reply(404, { ...rdapNotFound(), status: ['auction pending'] }), 'rdap.404.auction'],
    ['a record', reply(200, { objectClassName: 'domain', ldhName: NAME, status: ['at auction'] }), 'rdap.200.auction'],
  ])('is neither available nor registered if %s has an auction status', (_what, answer, rule) => {
    expect(read(answer)).toMatchObject({ rule, facts: inReleasePeriod('auction') });
  });

  it('is recognized under .br by an empty record, which means registered under .com', () => {
    const bare = (ldhName: string) => reply(200, { objectClassName: 'domain', ldhName, status: [] });
    const name = 'example.com.br';
    expect(read(bare(name), name)).toMatchObject({ facts: inReleasePeriod('release_process') });
    expect(verdictOf(bare(NAME))).toBe('found by rdap.200');
    const held = { ...rdapRecord(name), status: [] };
    expect(verdictOf(reply(200, held), name)).toBe('found by rdap.200');
  });
});

describe('an RDAP 404 about auction or release', () => {
  it.each([
    ['expiry_access_period', 'This domain is currently available for registration in the Expiry Access Period'],
    ['dropzone', 'This domain is currently available for application via the Identity Digital Dropzone service.'],
    ['dropzone', 'This domain is currently available for application via the Donuts Dropzone service.'],
    ['auction', 'Auction pending'],
    ['auction', 'The domain is being auctioned'],
  ])('does not mean available: %s, "%s"', (release, text) => {
    for (const body of [rdapNotFound(notice('Domain Status', text)), { errorCode: 404, title: text }]) {
      const got = read(reply(404, body));
      expect(got).toMatchObject({
        rule: `rdap.404.${release}`,
        facts: { outcome: 'reserved', registrable: 'unknown', quarantine: 'pending_delete', release },
      });
    }
  });
});

describe('an RDAP 404 with unusual content', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const many = <T>(one: T) => [...Array<T>(64).fill(one)];
  const kept = 'This name is reserved';

  it('is read if nested 50 levels deep, and is unusable if deeper', () => {
    expect(verdictOf(reply(404, `{"errorCode":404,"x":${nested(49)}}`))).toBe('absent by rdap.404');
    expect(verdictOf(reply(404, `{"errorCode":404,"x":${nested(50)}}`))).toMatch(/^registry_answer_unusable/);
    expect(verdictOf(reply(404, `{"errorCode":404,"x":"${'['.repeat(100)}\\"${'{'.repeat(100)}"}`))).toBe(
      'absent by rdap.404',
    );
  });

  it.each([
    ['a notice after many others', { notices: [...many({ title: 'x' }), { title: 'Reserved', description: [kept] }] }],
    ['a remark after many others', { remarks: [...many({ title: 'x' }), { title: 'Reserved', description: [kept] }] }],
    ['a description line after many others', { description: [...many('Not found'), kept] }],
    ['a status after many others', { status: [...many('free'), 'reserved'] }],
    ['words at the end of a long description', { description: [`Not found ${'x '.repeat(1_000)} ${kept}`] }],
    ['words at the end of a long title', { title: `Not found ${'x '.repeat(1_000)} ${kept}` }],
  ])('is unusable if it holds more than the parser reads: %s', (_what, members) => {
    expect(verdictOf(reply(404, { errorCode: 404, ...members }))).toMatch(/^registry_answer_unusable/);
  });

  it('means reserved if the word "reserved" comes after 2,000 spaces', () => {
    const title = `Not found ${' '.repeat(2_000)} ${kept}`;
    expect(verdictOf(reply(404, { errorCode: 404, title }))).toBe('reserved by rdap.404.reserved');
    expect(verdictOf(reply(404, { errorCode: 404, ...notice('x', title) }))).toBe('reserved by rdap.404.reserved');
  });

  it('is unusable with escaped control characters other than tabs and line breaks', () => {
    for (const control of ['\\u0000', '\\b', '\\f', '\\u001B', '\\u007f', '\\\\\\u0001'])
      expect(verdictOf(reply(404, `{"errorCode":404,"lang":"a${control}"}`))).toBe(
        'registry_answer_unusable by rdap.404.control_characters',
      );
    for (const harmless of ['\\t\\r\\n', '\\\\u0000', '\\\\b', '\\u00e9', '\\/b'])
      expect(verdictOf(reply(404, `{"errorCode":404,"lang":"a${harmless}"}`))).toBe('absent by rdap.404');
  });

  it('means reserved even if invisible characters split the word "reserved"', () => {
    const words = notice('Re\u00adserved', 'This name is re\u200bserved');
    expect(verdictOf(reply(404, { errorCode: 404, ...words }))).toBe('reserved by rdap.404.reserved');
  });
});

describe('an oversized RDAP record', () => {
  it.each([
    ['a status after 64 others', [...Array<string>(64).fill('free'), 'active']],
    ['the end of a long status', ['x'.repeat(500 * 1_024)]],
  ])('is unusable instead of available, since %s may say otherwise', (_what, status) => {
    expect(verdictOf(reply(200, { objectClassName: 'domain', ldhName: 'example.com', status }))).toMatch(
      /^registry_answer_unusable/,
    );
  });

  it('is unusable if it is nested too deep', () => {
    expect(
      verdictOf(reply(200, JSON.stringify(record()).replace(/}$/, `,"x":${'['.repeat(60)}${']'.repeat(60)}}`))),
    ).toMatch(/^registry_answer_unusable/);
  });
});
