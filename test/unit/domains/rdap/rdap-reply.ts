import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import { parseRdapResponse } from '../../../../src/domains/rdap/rdap-response-parser.js';
import type { HttpReply } from '../../../../src/domains/transport/registry-http-client.js';
import { RDAP, rdapRecord } from '../../../support/builders/rdap-answers.js';

export const NAME = 'example.com';
export const now = new Date('2026-11-21T12:00:00Z');

/** A registry's response; an object is sent as JSON. */
export function reply(status: number, body: unknown, parts: Partial<HttpReply> = {}): HttpReply {
  const bytes = Buffer.from(body instanceof Uint8Array ? body : typeof body === 'string' ? body : JSON.stringify(body));
  return { kind: 'reply', status, mediaType: RDAP, location: null, retryAfter: null, body: bytes, ...parts };
}

export const read = (answer: HttpReply, name = NAME) => parseRdapResponse(DomainName.restore(name), answer, now);

/** `outcome` or `code`, and the rule. */
export function verdictOf(answer: HttpReply, name = NAME): string {
  const reading = read(answer, name);
  return `${reading.kind === 'facts' ? reading.facts.outcome : reading.code} by ${reading.rule}`;
}

export const record = (changes: Record<string, unknown> = {}) => ({ ...rdapRecord(NAME), ...changes });
export const notice = (title: string, ...description: string[]) => ({ notices: [{ title, description }] });
