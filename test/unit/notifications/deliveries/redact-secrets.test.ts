import { describe, expect, it } from '@jest/globals';
import { redactError, redactSecrets, toSecretParts } from '../../../../src/notifications/domain/attempt.js';

const SECRET = 'tok/en+"1"&<2>';

describe('redacting secrets in a text', () => {
  it('removes a secret in plain, URL, JSON, HTML and base64 form', () => {
    const spellings = [
      SECRET,
      encodeURIComponent(SECRET),
      JSON.stringify(SECRET).slice(1, -1),
      'tok/en+&quot;1&quot;&amp;&lt;2&gt;',
      Buffer.from(SECRET).toString('base64'),
      Buffer.from(SECRET).toString('base64url'),
    ];
    for (const spelling of spellings) expect(redactSecrets(`a ${spelling} b`, [SECRET])).toBe('a … b');
  });

  it('removes the longer of two similar secrets first, and ignores a secret of one character', () => {
    expect(redactSecrets('abcdefgh abcdef x', ['abcdef', 'abcdefgh', 'x'])).toBe('… … x');
  });
});

describe('the secret parts of a target URL', () => {
  it('are the whole URL and each part that is long enough, except the host', () => {
    const target = 'https://hooks.example.test/T00000000/b/secret-token-123?key=another-key';
    expect(toSecretParts(target, 'hooks.example.test')).toEqual([
      target,
      'T00000000',
      'secret-token-123',
      'another-key',
    ]);
  });
});

describe('an error that is prepared for the log', () => {
  it('keeps its name, message, stack and causes without secrets, and no other field', () => {
    const error = Object.assign(
      new TypeError(`no ${SECRET}`, { cause: new Error(`in ${SECRET}`, { cause: SECRET }) }),
      {
        input: SECRET,
      },
    );
    const copy = redactError(error, [SECRET]);
    expect(copy).toMatchObject({
      name: 'TypeError',
      message: 'no …',
      cause: { message: 'in …', cause: { message: '…' } },
    });
    expect(copy.stack).toMatch(/^TypeError: no …\n\s+at /);
    expect(Object.keys(copy)).not.toContain('input');
  });

  it.each([[null], [undefined], ['text'], [{ message: 1 }]])(
    'is made even if the thrown value is not an error: %j',
    (thrown) => {
      expect(redactError(thrown, [SECRET])).toBeInstanceOf(Error);
    },
  );
});
