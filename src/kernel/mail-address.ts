import { HIDDEN_CHARACTERS } from './printable-line.js';

const PART = String.raw`[^\s@,;<>()"${HIDDEN_CHARACTERS}]`;

/** Needs the flag `u`. Sign-ins and invitations share this pattern, because their addresses must match. */
export const MAIL_ADDRESS_PATTERN = `^${PART}{1,64}@${PART}{1,189}$`;
