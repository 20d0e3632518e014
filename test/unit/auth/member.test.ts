import { describe, expect, it } from '@jest/globals';
import { isAcceptableBy, type StoredInvitation } from '../../../src/auth/domain/member.js';

const NOW = new Date('2026-11-28T00:00:00Z');

function invitationFor(email: string): StoredInvitation {
  const expiresAt = new Date(NOW.getTime() + 1_000);
  const about = {
    id: 'inv_1',
    accountId: 'acc_1',
    role: 'viewer',
    invitedBy: 'cli',
    mail: 'none',
    digest: '',
  } as const;
  return { ...about, email, createdAt: NOW, expiresAt, acceptedAt: null };
}

describe('an invitation', () => {
  it.each([
    ['kim@example.test', 'Kim@Example.test'],
    ['kim@münchen.test', 'kim@xn--mnchen-3ya.test'],
    ['kim@MÜNCHEN.test', 'kim@münchen.test'],
  ])('for %s can be accepted by a person with the verified address %s', (email, verified) => {
    expect(isAcceptableBy(invitationFor(email), verified, NOW)).toBe(true);
  });

  it.each([
    ['kim@example.test', '\u212aim@example.test'], // KELVIN SIGN, which is a k in lower case
    ['\u212aim@example.test', 'kim@example.test'],
    ['ümit@example.test', 'Ümit@example.test'],
    ['kim@example.test', 'kim@example.test.evil.test'],
    ['kim@example.test', null],
  ])('for %s cannot be accepted by a person with the verified address %s', (email, verified) => {
    expect(isAcceptableBy(invitationFor(email), verified, NOW)).toBe(false);
  });
});
