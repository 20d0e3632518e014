import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { UnsealFailed, OtherKeyNeeded, SecretBox } from '../../../src/platform/crypto/secret-box.js';

const aKey = () => randomBytes(32).toString('base64');
const key = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

describe('the encryption of stored secrets', () => {
  it('decrypts what it encrypted, for the same record', () => {
    const box = new SecretBox(key);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (clear, place) => {
        expect(box.open(box.seal(clear, place), place)).toBe(clear);
      }),
    );
  });

  it('marks the encrypted text with a short hash of the key, and hides the secret', () => {
    const sealed = new SecretBox(key).seal('whsec_x', 'nc_1');
    expect(sealed).toMatch(/^630dcd29\.[\w-]+$/);
    expect(Buffer.from(sealed.split('.')[1] ?? '', 'base64url').includes('whsec_x')).toBe(false);
  });

  it('encrypts the same secret into a different text each time', () => {
    const box = new SecretBox(key);
    expect(box.seal('x', 'nc_1')).not.toBe(box.seal('x', 'nc_1'));
  });

  it('refuses to decrypt a text that was encrypted for another record', () => {
    const box = new SecretBox(key);
    expect(() => box.open(box.seal('x', 'nc_1'), 'nc_2')).toThrow(UnsealFailed);
  });

  it('refuses to decrypt a text that was altered or truncated', () => {
    const box = new SecretBox(key);
    const sealed = box.seal('whsec_secret', 'nc_1');
    const bytes = Buffer.from(sealed.slice(9), 'base64url');
    for (let at = 0; at < bytes.length; at += 1) {
      const bent = Buffer.from(bytes);
      bent.writeUInt8(bent.readUInt8(at) ^ 1, at);
      expect(() => box.open(`630dcd29.${bent.toString('base64url')}`, 'nc_1')).toThrow(UnsealFailed);
      const cut = bytes.subarray(0, at).toString('base64url');
      expect(() => box.open(`630dcd29.${cut}`, 'nc_1')).toThrow(UnsealFailed);
    }
  });

  it('names the needed key if another key encrypted the text', () => {
    const sealed = new SecretBox(key).seal('x', 'nc_1');
    const other = new SecretBox(aKey());
    expect(() => other.open(sealed, 'nc_1')).toThrow(OtherKeyNeeded);
    expect(() => other.open(sealed, 'nc_1')).toThrow(/630dcd29/);
  });

  it('refuses texts in a wrong format, and keys that are not 32 bytes', () => {
    for (const junk of ['', '.', 'x', '630dcd29', '630dcd29.', '630dcd29.!!!'])
      expect(() => new SecretBox(key).open(junk, 'nc_1')).toThrow();
    expect(() => new SecretBox('c2hvcnQ=')).toThrow('32 bytes');
  });

  it('always gives a text the same hash, but another hash for another purpose or key', () => {
    const box = new SecretBox(key);
    expect(box.hash('a target', 'targets')).toBe(new SecretBox(key).hash('a target', 'targets'));
    expect(box.hash('a target', 'targets')).toMatch(/^630dcd29\.[\w-]{43}$/);
    for (const other of [
      box.hash('another', 'targets'),
      box.hash('a target', 'links'),
      new SecretBox(aKey()).hash('a target', 'targets'),
    ])
      expect(other).not.toBe(box.hash('a target', 'targets'));
  });
});
