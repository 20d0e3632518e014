import { describe, expect, it } from '@jest/globals';
import { readInvitation, readSignInProblem } from '../../../ui/src/screens/sign-in/sign-in-problem.js';

describe('the message after a failed provider sign-in', () => {
  it.each([
    'sign_in_expired',
    'sign_in_declined',
    'sign_in_unproven',
    'sign_in_unavailable',
    'sign_in_invitation',
    'rate_limited',
  ])('has a title for this problem: %s', (code) =>
    expect(readSignInProblem(`#problem=${code}`)).toMatchObject({ code, title: expect.stringMatching(/\w/) }),
  );

  it('names the mail address of a person without an account', () => {
    expect(readSignInProblem('#problem=sign_in_no_account&email=dave%40example.test')?.detail).toBe(
      'You are signed in as dave@example.test, but no account here has you as a member. Ask somebody who has one to invite you.',
    );
  });

  it.each(['call +1 555 0100', 'a@b <script>', 'x'.repeat(300), ''])(
    'does not repeat text that is not a mail address: %j',
    (email) => {
      const link = `#${new URLSearchParams({ problem: 'sign_in_no_account', email }).toString()}`;
      expect(readSignInProblem(link)?.detail).toMatch(/^You are signed in, but no account/);
    },
  );

  it.each(['', '#today', '#problem=', '#problem=constructor', '#problem=invented&title=x'])(
    'is missing if the URL names no known problem: %j',
    (fragment) => {
      expect(readSignInProblem(fragment)).toBe(null);
    },
  );
});

describe('an invitation link', () => {
  const token = `inv_${'0'.repeat(26)}.${'A'.repeat(43)}`;

  it('is recognized in the URL, and the token is read', () => {
    expect(readInvitation(`#invitation=${token}`)).toBe(token);
  });

  it.each(['', '#invitation=', `#invitation=${token}x`, `#invitation=${token}&to=x`, `#invitation=../${token}`])(
    'is not recognized if the URL fragment is malformed: %j',
    (fragment) => {
      expect(readInvitation(fragment)).toBe(null);
    },
  );
});
