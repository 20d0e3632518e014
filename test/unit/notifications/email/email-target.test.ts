import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import MimeNode from 'nodemailer/lib/mime-node';
import { parseEmailTarget } from '../../../../src/notifications/domain/mailbox.js';
import { TargetInvalid } from '../../../../src/notifications/domain/target.js';

describe('an email target', () => {
  it.each([
    ['ada@example.com', 'ada@example.com'],
    [' Ada.Lovelace+names@Example.COM ', 'Ada.Lovelace+names@example.com'],
    ['ada@münchen.example', 'ada@xn--mnchen-3ya.example'],
    ['ada@ＥＸＡＭＰＬＥ．com', 'ada@example.com'],
    ["o'hara!#$%&*/=?^_{|}~-@example.com", "o'hara!#$%&*/=?^_{|}~-@example.com"],
    ['a@b.co', 'a@b.co'],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  ])('is accepted and normalized: mail for %s goes to %s', (text, canonical) => {
    expect(parseEmailTarget(text)).toEqual({ asSent: text.trim(), canonical });
  });

  it.each([
    '',
    ' ',
    'ada',
    '@example.com',
    'ada@',
    'ada@@example.com',
    'a@b@example.com',
    'ada@example',
    'ada@localhost',
    'ada@127.0.0.1',
    'ada@[127.0.0.1]',
    'ada@[IPv6:::1]',
    'ada@example.123',
    'ada@-a.com',
    'ada@a..com',
    'ada@.com',
    'ada@example.com.',
    'ada@exa_mple.com',
    `ada@${'a'.repeat(64)}.com`,
    '.ada@example.com',
    'ada.@example.com',
    'a..b@example.com',
    '"ada"@example.com',
    '"a@b.co"@example.com',
    'ada@example.com, eve@evil.example',
    'ada@example.com;eve@evil.example',
    'ada@example.com eve@evil.example',
    'g: ada@example.com, eve@evil.example;',
    'Ada <ada@example.com>',
    '<ada@example.com>',
    'ada(x)@example.com',
    'ada@(x)example.com',
    'ada@example.com(x)',
    'mailto:ada@example.com',
    'ada\\@example.com',
    'a[b]@example.com',
    'ada@example.com\r\nBcc: eve@evil.example',
    'ada\r\n@example.com',
    'ada@exam\nple.com',
    'ada\u0000@example.com',
    'ada@example.com\u0000.evil.example',
    'ädä@example.com',
    'ada@exa\u200bmple.com,evil.example',
    'ada＠example.com',
    `${'a'.repeat(65)}@example.com`,
    `ada@${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(20)}.com`,
    `${'a'.repeat(64)}@${`${'b'.repeat(45)}.`.repeat(4)}example`,
    'ada@xn--a.example',
    'ada@ex%61mple.com',
  ])('is refused because it is not one plain address: %j', (text) => {
    expect(() => parseEmailTarget(text)).toThrow(TargetInvalid);
  });

  it('is read by the mail library as the same single recipient, for any accepted text', () => {
    const piece = fc.oneof(
      fc.constantFrom(...'@.,;:<>()"\\[] \u0000', '\r\n', '@example.com'),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      fc.emailAddress(),
    );
    let taken = 0;
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), (pieces) => {
        const canonical = toCanonical(pieces.join(''));
        if (canonical === null) return;
        taken += 1;
        expect(parseEnvelope(canonical)).toEqual([canonical]);
      }),
      { numRuns: 3_000 },
    );
    expect(taken).toBeGreaterThan(50);
  });
});

function toCanonical(text: string): string | null {
  try {
    return parseEmailTarget(text).canonical;
  } catch (error) {
    if (error instanceof TargetInvalid) return null;
    throw error;
  }
}

/** The recipients that nodemailer would choose, were it to read the address out of a header. */
function parseEnvelope(address: string): string[] {
  const node = new MimeNode();
  node.setHeader('to', address);
  return node.getEnvelope().to;
}
