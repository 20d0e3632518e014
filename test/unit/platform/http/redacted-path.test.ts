import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { redactedPath } from '../../../../src/platform/http/errors/problem.filter.js';

const KEY = `nw_01jd6z0v8q3m4n5p6r7s8t9vwx_${'aB3'.repeat(16)}`;
const SECRET = `whsec_${'aB3+'.repeat(8)}`;
const TOKEN = `0123abcd.${'aB3-_'.repeat(10)}`;
const encoded = (character: string) => `%${character.charCodeAt(0).toString(16)}`;

describe('the request path in logs and error answers', () => {
  it.each([
    ['/v1/watchlist/wl_1?key=x', '/v1/watchlist/wl_1'],
    ['/v1/a%20b/%C3%BC%ZZ%', '/v1/a%20b/%C3%BC%ZZ%'],
    [`/v1/${KEY}/x`, '/v1/…/x'],
    [`/v1/keys%3Fkey=${KEY}`, '/v1/keys?key=…'],
    [`/v1/${KEY.replace('w', '%77')}`, '/v1/…'],
    [`/v1/${KEY.replace('n', '%6e')}`, '/v1/…'],
    [`/v1/${KEY.replace('_', '%255F')}`, '/v1/…'],
  ])('is shown without query and secrets: %s becomes %s', (url, path) => expect(redactedPath(url)).toBe(path));

  it('contains no secret, even if characters of the secret are URL-encoded several times', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(KEY, SECRET, TOKEN),
        fc.array(fc.nat(80), { maxLength: 6 }),
        fc.nat(4),
        (secret, places, times) => {
          let spelt = [...secret].map((one, at) => (places.includes(at) ? encoded(one) : one)).join('');
          for (let time = 0; time < times; time += 1) spelt = spelt.replaceAll('%', '%25');
          const path = redactedPath(`/v1/${spelt}`);
          expect(path).toBe('/v1/…');
        },
      ),
    );
  });
});
