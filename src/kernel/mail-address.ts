import { HIDDEN_CHARACTERS } from './printable-line.js';

const PART = String.raw`[^\s@,;<>()"${HIDDEN_CHARACTERS}]`;

/**
 * Matches one mail address; needs the flag `u`. Sign-ins and invitations share the pattern, because the address of a
 * sign-in must match the address of its invitation.
 */
export const MAIL_ADDRESS_PATTERN = `^${PART}{1,64}@${PART}{1,189}$`;
