import { describe, expect, it } from '@jest/globals';
import { readInvitation, readSignInProblem } from '../../../ui/src/screens/sign-in/sign-in-problem.js';

describe('the message of the sign-in screen after a sign-in at the provider', () => {
  it.each([
    'sign_in_expired',
    'sign_in_declined',
    'sign_in_unproven',
    'sign_in_unavailable',
    'sign_in_invitation',
    'rate_limited',
  ])('explains %s', (code) =>
    expect(readSignInProblem(`#problem=${code}`)).toMatchObject({ code, title: expect.stringMatching(/\w/) }),
  );

  it('names the address of somebody without an account', () => {
    expect(readSignInProblem('#problem=sign_in_no_account&email=dave%40example.test')?.detail).toBe(
      'You are signed in as dave@example.test, but no account here has you as a member. Ask somebody who has one to invite you.',
    );
  });

  it.each(['call +1 555 0100', 'a@b <script>', 'x'.repeat(300), ''])('repeats only an address, not %j', (email) => {
    const link = `#${new URLSearchParams({ problem: 'sign_in_no_account', email }).toString()}`;
    expect(readSignInProblem(link)?.detail).toMatch(/^You are signed in, but no account/);
  });

  it.each(['', '#today', '#problem=', '#problem=constructor', '#problem=invented&title=x'])(
    'is empty for %j',
    (fragment) => {
      expect(readSignInProblem(fragment)).toBe(null);
    },
  );
});

describe('the link of an invitation', () => {
  const token = `inv_${'0'.repeat(26)}.${'A'.repeat(43)}`;

  it('leads to its acceptance', () => {
    expect(readInvitation(`#invitation=${token}`)).toBe(token);
  });

  it.each(['', '#invitation=', `#invitation=${token}x`, `#invitation=${token}&to=x`, `#invitation=../${token}`])(
    'is not recognized in %j',
    (fragment) => {
      expect(readInvitation(fragment)).toBe(null);
    },
  );
});
