import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import type { ParsedResponse } from '../../../../src/domains/domain/lookup/lookup-result.js';
import { parseWhoisResponse } from '../../../../src/domains/whois/whois-response-parser.js';

/** The parsed answer for `name`, given as text or as lines. */
export function reading(name: string, answer: string | readonly string[] | Buffer): ParsedResponse {
  const body = Buffer.isBuffer(answer) ? answer : Buffer.from([answer].flat().join('\r\n'));
  return parseWhoisResponse(DomainName.restore(name), body);
}

/** `absent by whois.absent.status`, or the failure's code and rule. */
export function judged(name: string, answer: string | readonly string[] | Buffer): string {
  const read = reading(name, answer);
  return `${read.kind === 'facts' ? read.facts.outcome : read.code} by ${read.rule}`;
}

/** The terms that registries print around their answers. */
export const TERMS = [
  '% The WHOIS service is provided for information purposes only. It allows persons',
  '% to check whether a domain name is still available or not, and excessive use of',
  '% it may lead to your address being blocked when the query limit is exceeded. Any',
  '% access to reserved or restricted data is prohibited and not permitted to anyone',
  '% not found to be a registrant.',
];
