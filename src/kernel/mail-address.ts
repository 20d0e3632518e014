import { HIDDEN_CHARACTERS } from './printable-line.js';

const PART = String.raw`[^\s@,;<>()"${HIDDEN_CHARACTERS}]`;

/** Matches one mail address; needs the flag `u`. Used for sign-ins and invitations, whose addresses must match. */
export const MAIL_ADDRESS_PATTERN = `^${PART}{1,64}@${PART}{1,189}$`;
