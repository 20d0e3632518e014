import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { IncomingHttpHeaders } from 'node:http';
import { inspect } from 'node:util';
import { runInRequest } from '../../../../src/platform/concurrency/request-context.js';
import { redactCredentials, redactedError } from '../../../../src/platform/logging/request-credentials.js';
import { LogDeduplicator } from '../../../../src/platform/logging/logging.js';

const TOKEN = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl';
const inRequest = <Result>(headers: IncomingHttpHeaders, work: () => Result) =>
  runInRequest({ id: 'req_1', ip: '192.0.2.1', headers }, work);
const redacted = (headers: IncomingHttpHeaders, text: string) => inRequest(headers, () => redactCredentials(text));

describe('a log line', () => {
  afterEach(() => void jest.useRealTimers());

  it.each<[string, IncomingHttpHeaders, string, string]>([
    ['the whole header', { authorization: `Bearer ${TOKEN}` }, `got "Bearer ${TOKEN}"`, 'got "[redacted]"'],
    ['the token', { authorization: `Bearer ${TOKEN}` }, `no ${TOKEN} here`, 'no [redacted] here'],
    ['a short token', { authorization: 'Session abcd' }, 'no session abcd', 'no session [redacted]'],
    ['a token with spaces', { authorization: 'Session one two' }, 'no "one two"', 'no "[redacted]"'],
    ['a cookie', { cookie: `theme=dark; sid=${TOKEN}` }, `sid ${TOKEN} is over`, 'sid [redacted] is over'],
    ['another header', { 'x-api-key': 'swordfish' }, 'swordfish is unknown', '[redacted] is unknown'],
    ['a password', { authorization: `Basic ${btoa('ada:swordfish')}` }, 'ada: swordfish', 'ada: [redacted]'],
    ['an encoded token', { authorization: 'Bearer a+b/c==d' }, '/?t=a%2Bb%2Fc%3D%3Dd', '/?t=[redacted]'],
    ['an escaped token', { authorization: 'Session a"b"c' }, String.raw`{"m":"a\"b\"c"}`, '{"m":"[redacted]"}'],
    [
      'a parameter',
      { authorization: 'Digest username="ada", response="6629fae49393"' },
      'by 6629fae49393',
      'by [redacted]',
    ],
  ])('does not contain this credential from the request: %s', (_, headers, text, expected) => {
    expect(redacted(headers, text)).toBe(expected);
  });

  it('keeps request headers that are not credentials', () => {
    const headers = { 'user-agent': 'curl/8.5.0', host: 'namewatch.example', authorization: `Bearer ${TOKEN}` };
    expect(redacted(headers, 'curl/8.5.0 asked namewatch.example')).toBe('curl/8.5.0 asked namewatch.example');
  });

  it('contains no API key and no secret of Namewatch, even outside a request', () => {
    const key = `nw_01jd6z0v8q3m4n5p6r7s8t9vwx${'aB3'.repeat(16)}`;
    expect(redactCredentials(`${key} and whsec_aB3+`)).toBe('[redacted] and [redacted]');
    expect(redactCredentials('GET /pages/nwpage_aB-3_c/json')).toBe('GET /pages/[redacted]/json');
  });

  it('contains no credentials even if it is written later, as a repeated line', () => {
    jest.useFakeTimers();
    const lines: string[] = [];
    const deduplicator = new LogDeduplicator();
    for (const token of ['first-token', 'other-token'])
      inRequest({ authorization: `Bearer ${token}` }, () =>
        deduplicator.writeOrCount('auth', 'failed', (suffix) => lines.push(redactCredentials(`${token}${suffix}`))),
      );
    jest.advanceTimersByTime(60_000);
    expect(lines).toEqual(['[redacted]', '[redacted] (1 more like it in 60 s)']);
  });
});

describe('an error passed to a host application for its log', () => {
  it('contains the token of the request neither in message or stack, nor in causes or fields', () => {
    const error = Object.assign(new TypeError(`no ${TOKEN}`, { cause: new Error(TOKEN, { cause: TOKEN }) }), {
      config: { headers: { authorization: TOKEN } },
    });
    const copy = inRequest({ authorization: `Bearer ${TOKEN}` }, () => redactedError(error, redactCredentials));
    expect(copy).toMatchObject({ name: 'TypeError', message: 'no [redacted]', cause: { message: '[redacted]' } });
    expect(inspect(copy, { depth: null })).not.toContain(TOKEN);
    expect((copy as Error).stack).toContain('request-credentials.test.ts');
  });

  it('is copied without an endless loop if it is its own cause', () => {
    const error = new Error('one');
    error.cause = error;
    expect(redactedError(error, (text) => text)).toMatchObject({ message: 'one' });
  });
});
