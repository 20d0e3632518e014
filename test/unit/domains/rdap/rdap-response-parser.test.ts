import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rdapNotFound, rdapRecord } from '../../../support/builders/rdap-answers.js';
import { NAME, now, read, record, reply, verdictOf } from './rdap-reply.js';
import { cpuMillisecondsSince } from '../../../support/cpu-time.js';

describe('another status', () => {
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
  ])('%d with Retry-After %j is classified', (status, retryAfter, verdict, seconds) => {
    const answer = reply(status, rdapNotFound(), { retryAfter });
    expect(verdictOf(answer)).toBe(verdict);
    expect(read(answer)).toMatchObject({ retryAfterSeconds: seconds });
  });
});

describe('an excerpt', () => {
  it('holds what the status was derived from, and no contact', () => {
    const { excerpt } = read(reply(200, rdapRecord(NAME, { statuses: ['pending delete'], registeredAt: now })));
    expect(excerpt).toContain('pending delete');
    expect(excerpt).toContain('registration 2026-11-21T12:00:00.000Z');
    expect(excerpt).not.toMatch(/Erika|Mustermann|example\.net/);
  });

  it('of a truncated response holds none of it', () => {
    const whole = JSON.stringify({ entities: rdapRecord(NAME).entities, ldhName: NAME });
    expect(read(reply(200, whole.slice(0, 150))).excerpt).toBe('application/rdap+json, 150 bytes');
  });

  it('of a page holds its title, and never more than 500 characters or a control character', () => {
    const page = reply(404, '<title>Sign\u001b[31m in</title>', { mediaType: 'text/html' });
    expect(read(page).excerpt).toBe('text/html, 27 bytes: Sign [31m in');
    const long = rdapNotFound({ title: 'x'.repeat(600), description: ['\u0000\u0007\u202e'] });
    expect(read(reply(404, long)).excerpt).toMatch(/^[\x20-\x7e]{1,500}$/);
  });
});

describe('a body', () => {
  const text = JSON.stringify(record());
  /** Its lists are inside the object, so they make it one level deeper. */
  const nested = (depth: number) => `{"x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)},${text.slice(1)}`;
  const sized = (bytes: number) => text.padEnd(bytes);

  it.each<[string, string | Buffer, string]>([
    ['with nested lists', nested(50), 'found by rdap.200'],
    ['nested one level deeper', nested(51), 'registry_answer_unusable by rdap.200.too_deep'],
    ['of 512 KiB', sized(512 * 1_024), 'found by rdap.200'],
    ['of one byte more', sized(512 * 1_024 + 1), 'registry_answer_unusable by rdap.200.too_large'],
    [
      'with a byte that is not UTF-8',
      Buffer.from(`${text.slice(0, -1)},"x":"\xff"}`, 'latin1'),
      'registry_answer_unusable by rdap.200.not_json',
    ],
    ['in UTF-16', Buffer.from(text, 'utf16le'), 'registry_answer_unusable by rdap.200.not_json'],
    ['that goes on after its end', `${text}]`, 'registry_answer_unusable by rdap.200.not_json'],
    ['with a comma too many', `${text.slice(0, -1)},}`, 'registry_answer_unusable by rdap.200.not_json'],
    [
      'with an escaped NUL',
      `${text.slice(0, -1)},"x":"\\u0000"}`,
      'registry_answer_unusable by rdap.200.control_characters',
    ],
    ['with a byte order mark', `\ufeff${text}`, 'found by rdap.200'],
  ])('%s', (_, body, verdict) => {
    expect(verdictOf(reply(200, body))).toBe(verdict);
  });

  it.each([
    ['the name', '"ldhName":"example.org"', 'registry_answer_unusable by rdap.200.other_name'],
    ['the class', '"objectClassName":"entity"', 'registry_answer_unusable by rdap.200.not_a_domain'],
    ['an error', '"errorCode":null,"errorCode":1e999', 'registry_answer_unusable by rdap.200.error'],
  ])('uses the last of two members with the same name: %s', (_, last, verdict) => {
    expect(verdictOf(reply(200, `${text.slice(0, -1)},${last}}`))).toBe(verdict);
  });

  it('inherits nothing from a member named __proto__', () => {
    const members =
      '"__proto__":{"objectClassName":"domain","ldhName":"example.com","status":["free"]},"constructor":1';
    expect(verdictOf(reply(200, `{${members}}`))).toBe('registry_answer_unusable by rdap.200.not_a_domain');
    expect(verdictOf(reply(200, `{${members},${text.slice(1)}`))).toBe('found by rdap.200');
    expect(verdictOf(reply(404, `{"errorCode":404,"__proto__":{"errorCode":429}}`))).toBe('absent by rdap.404');
  });

  it('with numbers beyond their range has no DS record', () => {
    const ds =
      '"secureDNS":{"delegationSigned":true,"dsData":[{"keyTag":1e999,"algorithm":13,"digestType":2,"digest":"AB"}]}';
    expect(read(reply(200, `${text.slice(0, -1)},${ds}}`))).toMatchObject({ kind: 'facts', record: { ds: null } });
  });
});

describe('any response', () => {
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

  it('of random bytes is classified, and is an absence only as an RDAP 404 without a body', () => {
    fc.assert(
      fc.property(statuses, fc.uint8Array({ maxLength: 200 }), mediaTypes, (status, bytes, mediaType) => {
        const isBlank = Buffer.from(bytes).toString().trim() === '';
        const mayBeAbsent = status === 404 && isBlank && mediaType === 'application/rdap+json';
        expect(judged(status, bytes, mediaType) === 'absent').toBe(mayBeAbsent);
      }),
      { numRuns: 300 },
    );
  });

  it('of random JSON is classified, and is an absence only when an RDAP server sent it', () => {
    fc.assert(
      fc.property(statuses, fc.json({ maxDepth: 6 }), mediaTypes, (status, json, mediaType) => {
        const outcome = judged(status, json, mediaType);
        if (outcome === 'absent') expect([status, mediaType]).toEqual([404, 'application/rdap+json']);
        expect(outcome).not.toBe('found');
      }),
      { numRuns: 300 },
    );
  });

  it('of RDAP with any malformed member is classified, and available only if a rule says so', () => {
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
    ['deep lists', `${'['.repeat(250_000)}${']'.repeat(250_000)}`],
    ['a deep error code', `{"errorCode":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
    ['deep objects', `${'{"status":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
    [
      'a long list of statuses',
      `{"objectClassName":"domain","ldhName":"example.org","status":[${'"a",'.repeat(100_000)}"a"]}`,
    ],
    ['a long text', `{"title":"${'limit '.repeat(80_000)}"}`],
    ['a long list of notices', `{"errorCode":500,"notices":[${'{"title":"x"},'.repeat(30_000)}{}]}`],
    [
      'deep notices',
      `{"objectClassName":"domain","ldhName":"example.org","notices":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    ],
    ['prototype keys', '{"errorCode":1,"__proto__":{"objectClassName":"domain"},"constructor":{"prototype":{}}}'],
    ['NUL bytes', '\0\0\0\0'],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['a lone surrogate', '{"errorCode":500,"title":"\\ud800"}'],
  ])('of %s is classified in time, and never an absence', (_what, body) => {
    for (const status of [200, 404]) {
      const began = process.threadCpuUsage();
      const outcome = judged(status, body, 'application/json');
      expect(cpuMillisecondsSince(began)).toBeLessThan(2_000);
      expect(outcome).not.toBe('absent');
    }
  });
});
