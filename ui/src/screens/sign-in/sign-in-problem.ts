import type { Failure } from '../../api/call.js';

/** Texts for the reasons with which the service reports a failed sign-in. */
const WORDS: Readonly<Record<string, { readonly title: string; readonly detail: string }>> = {
  sign_in_expired: {
    title: 'This sign-in has ended',
    detail: 'It was begun in another browser, or more than ten minutes ago. Begin again.',
  },
  sign_in_declined: {
    title: 'You were not let in',
    detail: 'You said no, or your sign-in there does not allow this service. Ask those who run it.',
  },
  sign_in_unproven: {
    title: 'This sign-in could not be confirmed',
    detail:
      'This answer belongs to another sign-in than this browser began. Begin again. If it happens once more, tell an administrator: the log of this service says why.',
  },
  sign_in_invitation: {
    title: 'This invitation does not work',
    detail:
      'It was used, revoked or has ended, or it is for another address than the one you signed in with. Ask who sent it for a new one.',
  },
  sign_in_unavailable: {
    title: 'The sign-in does not answer',
    detail: 'Try again in a minute, or sign in with a key.',
  },
  rate_limited: { title: 'Too many sign-ins', detail: 'Wait a minute, then begin again.' },
};

/** Matches only a mail address, since anyone can make a link with a text here. */
const EMAIL = /^[^\s@<>"]{1,64}@[^\s@<>"]{1,189}$/;

/** @param fragment the part after `#` of the address @returns null if the fragment is not about a sign-in */
export function readSignInProblem(fragment: string): Failure | null {
  const said = new URLSearchParams(fragment.replace(/^#/, ''));
  const code = said.get('problem') ?? '';
  const words =
    code === 'sign_in_no_account' ? noAccount(said.get('email')) : Object.hasOwn(WORDS, code) ? WORDS[code] : undefined;
  return words ? { ...words, code, requestId: null, isRetryable: false, fields: [] } : null;
}

/** Returns the secret of an invitation's link. Returns null for other addresses. */
export function readInvitation(fragment: string): string | null {
  return /^#invitation=(inv_[0-9a-z]{26}\.[\w-]{43})$/.exec(fragment)?.[1] ?? null;
}

function noAccount(email: string | null) {
  const who = email !== null && EMAIL.test(email) ? `You are signed in as ${email}` : 'You are signed in';
  return {
    title: 'You are not a member yet',
    detail: `${who}, but no account here has you as a member. Ask somebody who has one to invite you.`,
  };
}
