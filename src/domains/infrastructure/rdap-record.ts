import type { DomainName } from '../domain/domain-name.js';
import { eppStatus } from '../domain/epp-status.js';
import { type Json, listOf, member, textOf } from './rdap-json.js';
import { registryDate } from './registry-date.js';

/** The few members of a domain object (RFC 9083 §5.3) of which a status is made. */
export interface RdapRecord {
  readonly statuses: readonly string[];
  readonly registeredAt: Date | null;
  readonly expiresAt: Date | null;
}

export function isDomainObject(answer: Json): boolean {
  return textOf(member(answer, 'objectClassName')).toLowerCase() === 'domain';
}

/** True when the object is about this very name: by `ldhName`, or by `unicodeName` where that one is missing. */
export function isAbout(answer: Json, name: DomainName): boolean {
  const spelling = textOf(member(answer, 'ldhName')) || textOf(member(answer, 'unicodeName'));
  return name.isSpelt(spelling);
}

export function recordOf(answer: Json): RdapRecord {
  const statuses = listOf(member(answer, 'status')).map((status) => eppStatus(textOf(status).slice(0, 100)));
  return {
    statuses: [...new Set(statuses.filter((status) => status !== ''))],
    registeredAt: dateOf(answer, 'registration'),
    // Never `registrar expiration`: that is the registrar's own contract, not the registry's date.
    expiresAt: dateOf(answer, 'expiration'),
  };
}

/** The date of an event; null when it is missing, unreadable, or told twice and differently. */
function dateOf(answer: Json, action: 'registration' | 'expiration'): Date | null {
  const [date, ...others] = listOf(member(answer, 'events'))
    .filter((event) => textOf(member(event, 'eventAction')).toLowerCase() === action)
    .map((event) => registryDate(member(event, 'eventDate')));
  return date && others.every((other) => other?.getTime() === date.getTime()) ? date : null;
}
