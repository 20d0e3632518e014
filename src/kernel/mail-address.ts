import { HIDDEN_CHARACTERS } from './printable-line.js';

const PART = String.raw`[^\s@,;<>()"${HIDDEN_CHARACTERS}]`;

/** Matches one plain address, with the flag `u`. A provider's verified address is compared with an invitation's. */
export const MAIL_ADDRESS_PATTERN = `^${PART}{1,64}@${PART}{1,189}$`;
