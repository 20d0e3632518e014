import { InvalidDomainNameError } from './domain-name.errors.js';
import { isLabel, MAX_INPUT_LENGTH, MAX_LABEL_LENGTH, toALabels } from './idna.js';

/**
 * One label in A-label form, from Unicode or an A-label in any case. Whether it makes a name below a certain suffix is
 * for `DomainName.parse` to say.
 * @throws InvalidDomainNameError unless it is exactly one label
 */
export function parseDomainLabel(input: string): string {
  const typed = input.trim();
  const ascii = typed.length > MAX_INPUT_LENGTH ? null : toALabels(typed);
  if (ascii?.includes('.')) throw refuse('domain_malformed', 'The label is one label, without a dot.');
  if (typed.length > MAX_INPUT_LENGTH || (ascii !== null && ascii.length > MAX_LABEL_LENGTH))
    throw refuse('label_too_long', 'A label has at most 63 characters in its ASCII form.');
  if (ascii === null || !isLabel(ascii)) throw refuse('domain_malformed', 'This is not a label of a domain name.');
  return ascii;
}

function refuse(code: 'domain_malformed' | 'label_too_long', message: string): InvalidDomainNameError {
  return new InvalidDomainNameError(code, message, { field: 'label' });
}
