import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rdapNotFound, rdapRecord } from '../../../support/builders/rdap-answers.js';
import { NAME, now, read, record, reply, verdictOf } from './rdap-reply.js';
import { cpuMillisecondsSince } from '../../../support/cpu-time.js';

describe('an RDAP answer with another HTTP status', () => {
  it.each([
    [401, null, 'registry_answer_unusable by rdap.401', null],
    [403, null, 'registry_answer_unusable by rdap.403', null],
    [429, null, 'registry_throttled by rdap.429', null],
    [429, '120', 'registry_throttled by rdap.429', 120],
    [429, 'soon', 'registry_throttled by rdap.429', null],
    [429, '0', 'registry_throttled by rdap.429', null],
    [429, '1.5', 'registry_throttled by rdap.429', 2],
    [429, '86401', 'registry_throttled by rdap.429', 86_400],
    [429, '999999999999999999999', 'registry_throttled by rdap.429', 86_400],
    [429, 'Sat, 21 Nov 2026 12:00:30 GMT', 'registry_throttled by rdap.429', 30],
    [429, 'Mon, 30 Nov 2026 12:00:00 GMT', 'registry_throttled by rdap.429', 86_400],
    [503, 'Sat, 21 Nov 2026 12:00:00 GMT', 'registry_answer_unusable by rdap.503', null],
    [503, '60', 'registry_throttled by rdap.503.retry', 60],
    [503, null, 'registry_answer_unusable by rdap.503', null],
    [503, 'soon', 'registry_answer_unusable by rdap.503', null],
    [500, '60', 'registry_answer_unusable by rdap.500', 60],
    [204, null, 'registry_answer_unusable by rdap.204', null],
    [410, null, 'registry_answer_unusable by rdap.410', null],
    [418, null, 'registry_answer_unusable by rdap.418', null],
  ])('is classified by status and Retry-After: %d with %j is %s', (status, retryAfter, verdict, seconds) => {
    const answer = reply(status, rdapNotFound(), { retryAfter });
    expect(verdictOf(answer)).toBe(verdict);
    expect(read(answer)).toMatchObject({ retryAfterSeconds: seconds });
  });
});

describe('the excerpt of an RDAP answer', () => {
  it('shows what the status was derived from, but no contact details', () => {
    const { excerpt } = read(reply(200, rdapRecord(NAME, { statuses: ['pending delete'], registeredAt: now })));
    expect(excerpt).toContain('pending delete');
    expect(excerpt).toContain('registration 2026-11-21T12:00:00.000Z');
    expect(excerpt).not.toMatch(/Erika|Mustermann|example\.net/);
  });

  it('shows only media type and size if the answer is cut off', () => {
    const whole = JSON.stringify({ entities: rdapRecord(NAME).entities, ldhName: NAME });
    expect(read(reply(200, whole.slice(0, 150))).excerpt).toBe('application/rdap+json, 150 bytes');
  });

  it('shows the title of an HTML page, at most 500 characters, no control characters', () => {
    const page = reply(404, '<title>Sign\u001b[31m in</title>', { mediaType: 'text/html' });
    expect(read(page).excerpt).toBe('text/html, 27 bytes: Sign [31m in');
    const long = rdapNotFound({ title: 'x'.repeat(600), description: ['\u0000\u0007\u202e'] });
    expect(read(reply(404, long)).excerpt).toMatch(/^[\x20-\x7e]{1,500}$/);
  });
});

describe('the body of an RDAP answer', () => {
  const text = JSON.stringify(record());
  /** Its lists are inside the object, so they make it one level deeper. */
  const nested = (depth: number) => `{"x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)},${text.slice(1)}`;
  const sized = (bytes: number) => text.padEnd(bytes);

  it.each<[string, string | Buffer, string]>([
    ['nested 50 levels deep', nested(50), 'found by rdap.200'],
    ['nested 51 levels deep', nested(51), 'registry_answer_unusable by rdap.200.too_deep'],
    ['of 512 KiB', sized(512 * 1_024), 'found by rdap.200'],
    ['of 512 KiB and one byte', sized(512 * 1_024 + 1), 'registry_answer_unusable by rdap.200.too_large'],
    [
      'with a byte that is not UTF-8',
      Buffer.from(`${text.slice(0, -1)},"x":"\xff"}`, 'latin1'),
      'registry_answer_unusable by rdap.200.not_json',
    ],
    ['in UTF-16', Buffer.from(text, 'utf16le'), 'registry_answer_unusable by rdap.200.not_json'],
    ['with more text after its end', `${text}]`, 'registry_answer_unusable by rdap.200.not_json'],
    ['with an extra comma', `${text.slice(0, -1)},}`, 'registry_answer_unusable by rdap.200.not_json'],
    [
      'with an escaped NUL',
      `${text.slice(0, -1)},"x":"\\u0000"}`,
      'registry_answer_unusable by rdap.200.control_characters',
    ],
    ['with a byte order mark', `\ufeff${text}`, 'found by rdap.200'],
  ])('is accepted only if it is valid, small and flat enough: %s', (_, body, verdict) => {
    expect(verdictOf(reply(200, body))).toBe(verdict);
  });

  it.each([
    ['the domain name', '"ldhName":"example.org"', 'registry_answer_unusable by rdap.200.other_name'],
    ['the object class', '"objectClassName":"entity"', 'registry_answer_unusable by rdap.200.not_a_domain'],
    ['the error code', '"errorCode":null,"errorCode":1e999', 'registry_answer_unusable by rdap.200.error'],
  ])('is read with the last of two members of the same name: %s', (_, last, verdict) => {
    expect(verdictOf(reply(200, `${text.slice(0, -1)},${last}}`))).toBe(verdict);
  });

  it('takes no values from a member named __proto__', () => {
    const members =
      '"__proto__":{"objectClassName":"domain","ldhName":"example.com","status":["free"]},"constructor":1';
    expect(verdictOf(reply(200, `{${members}}`))).toBe('registry_answer_unusable by rdap.200.not_a_domain');
    expect(verdictOf(reply(200, `{${members},${text.slice(1)}`))).toBe('found by rdap.200');
    expect(verdictOf(reply(404, `{"errorCode":404,"__proto__":{"errorCode":429}}`))).toBe('absent by rdap.404');
  });

  it('gives null for the DS records if a number is out of range', () => {
    const ds =
      '"secureDNS":{"delegationSigned":true,"dsData":[{"keyTag":1e999,"algorithm":13,"digestType":2,"digest":"AB"}]}';
    expect(read(reply(200, `${text.slice(0, -1)},${ds}}`))).toMatchObject({ kind: 'facts', record: { ds: null } });
  });
});

describe('any RDAP response', () => {
  const ABSENCES = ['rdap.404', 'rdap.404.empty', 'rdap.404.premium', 'rdap.200.free', 'rdap.200.premium'];
  const statuses = fc.oneof(fc.constantFrom(200, 404), fc.integer({ min: 100, max: 599 }));
  const mediaTypes = fc.constantFrom('', 'text/html', 'application/json', 'application/rdap+json');

  /** Its verdict, after checking what holds for every response. */
  function judged(status: number, body: unknown, mediaType: string) {
    const reading = read(reply(status, body, { mediaType }));
    expect(reading.rule).toMatch(/^rdap\.[a-z0-9._]+$/);
    expect(reading.excerpt.length).toBeLessThanOrEqual(500);
    expect(reading.excerpt).not.toMatch(/\p{Cc}|\p{Cs}/u);
    if (reading.kind === 'failure') return 'failure';
    if (reading.facts.outcome === 'absent') expect(ABSENCES).toContain(reading.rule);
    return reading.facts.outcome;
  }

  it('means not found only as an empty RDAP 404, if it is random bytes', () => {
    fc.assert(
      fc.property(statuses, fc.uint8Array({ maxLength: 200 }), mediaTypes, (status, bytes, mediaType) => {
        const isBlank = Buffer.from(bytes).toString().trim() === '';
        const mayBeAbsent = status === 404 && isBlank && mediaType === 'application/rdap+json';
        expect(judged(status, bytes, mediaType) === 'absent').toBe(mayBeAbsent);
      }),
      { numRuns: 300 },
    );
  });

  it('means not found only as a 404 of the RDAP media type, if it is random JSON', () => {
    fc.assert(
      fc.property(statuses, fc.json({ maxDepth: 6 }), mediaTypes, (status, json, mediaType) => {
        const outcome = judged(status, json, mediaType);
        if (outcome === 'absent') expect([status, mediaType]).toEqual([404, 'application/rdap+json']);
        expect(outcome).not.toBe('found');
      }),
      { numRuns: 300 },
    );
  });

  it('means available only by a known rule, if some members are replaced by random values', () => {
    const keys = ['objectClassName', 'ldhName', 'unicodeName', 'status', 'events', 'notices', 'remarks', 'errorCode'];
    const more = ['title', 'description', 'rdapConformance', '__proto__', 'constructor', 'toString', 'length'];
    const member = fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom('free', ['free'], 404, '404', NAME));
    const bent = fc.dictionary(fc.constantFrom(...keys, ...more), member, { noNullPrototype: true });
    const whole = fc.constantFrom(rdapRecord(NAME), rdapNotFound());
    fc.assert(
      fc.property(statuses, whole, bent, mediaTypes, (status, answer, changes, mediaType) => {
        const outcome = judged(status, { ...answer, ...changes }, mediaType);
        if (outcome === 'absent') expect([200, 404]).toContain(status);
        if (outcome === 'found') expect(status).toBe(200);
      }),
      { numRuns: 600 },
    );
  });

  it.each([
    ['deeply nested lists', `${'['.repeat(250_000)}${']'.repeat(250_000)}`],
    ['a deeply nested error code', `{"errorCode":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
    ['deeply nested objects', `${'{"status":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
    [
      'a long list of statuses',
      `{"objectClassName":"domain","ldhName":"example.org","status":[${'"a",'.repeat(100_000)}"a"]}`,
    ],
    ['a long text', `{"title":"${'limit '.repeat(80_000)}"}`],
    ['a long list of notices', `{"errorCode":500,"notices":[${'{"title":"x"},'.repeat(30_000)}{}]}`],
    [
      'deeply nested notices',
      `{"objectClassName":"domain","ldhName":"example.org","notices":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    ],
    ['prototype keys', '{"errorCode":1,"__proto__":{"objectClassName":"domain"},"constructor":{"prototype":{}}}'],
    ['NUL bytes', '\0\0\0\0'],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['a lone surrogate', '{"errorCode":500,"title":"\\ud800"}'],
  ])('is classified within two seconds, and never as not found: %s', (_what, body) => {
    for (const status of [200, 404]) {
      const began = process.threadCpuUsage();
      const outcome = judged(status, body, 'application/json');
      expect(cpuMillisecondsSince(began)).toBeLessThan(2_000);
      expect(outcome).not.toBe('absent');
    }
  });
});
