import { HIDDEN_CHARACTERS } from './printable-line.js';

const PART = String.raw`[^\s@,;<>()"${HIDDEN_CHARACTERS}]`;

/** Needs the flag `u`. Invitations and sign-ins share this pattern, so that an invited address can also sign in. */
export const MAIL_ADDRESS_PATTERN = `^${PART}{1,64}@${PART}{1,189}$`;
