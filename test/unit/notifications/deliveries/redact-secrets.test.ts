import { describe, expect, it } from '@jest/globals';
import { redactError, redactSecrets, toSecretParts } from '../../../../src/notifications/domain/attempt.js';

const SECRET = 'tok/en+"1"&<2>';

describe('a text', () => {
  it('no longer contains a secret in any encoding that can be read', () => {
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

  it('is freed of the longer of two secrets first, and of nothing that is too short to be a secret', () => {
    expect(redactSecrets('abcdefgh abcdef x', ['abcdef', 'abcdefgh', 'x'])).toBe('… … x');
  });
});

describe('the parts of a secret target', () => {
  it('are the whole target and each part that is long enough, except its host', () => {
    const target = 'https://hooks.example.test/T00000000/b/secret-token-123?key=another-key';
    expect(toSecretParts(target, 'hooks.example.test')).toEqual([
      target,
      'T00000000',
      'secret-token-123',
      'another-key',
    ]);
  });
});

describe('an error to be logged', () => {
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

  it.each([[null], [undefined], ['text'], [{ message: 1 }]])('may be %j', (thrown) => {
    expect(redactError(thrown, [SECRET])).toBeInstanceOf(Error);
  });
});
