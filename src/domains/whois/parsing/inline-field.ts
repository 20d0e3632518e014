import type { WhoisField } from './whois-fields.js';

/** `Record expires on 2024-01-15`, without a colon. */
const DATE_SENTENCE =
  /^(?:record|domain)?\s?((?:will )?expires?|(?:was )?created|registered) (?:on|at|until)?:?\s*(\S.*\d.*)$/i;

/** A date in a sentence, as the field that other registries have. */
export function parseInlineField(text: string): WhoisField[] {
  const [, verb, value] = DATE_SENTENCE.exec(text) ?? [];
  if (verb === undefined || value === undefined) return [];
  return [{ label: /expire/i.test(verb) ? 'expires' : 'created', value, block: -1 }];
}

/** `OK-UNTIL 20140903121852` in .ua zones. */
const UNTIL = /\buntil:?\s+(\d.*)$/i;

/** The expiry date within a status. */
export function expiryInStatus({ value, block }: WhoisField): WhoisField[] {
  const date = UNTIL.exec(value)?.[1];
  return date === undefined ? [] : [{ label: 'expires', value: date, block }];
}
