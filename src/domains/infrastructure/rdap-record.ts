import type { DomainName } from '../domain/domain-name.js';
import { eppStatus } from '../domain/epp-status.js';
import { type Json, listOf, member, textOf } from './rdap-json.js';
import { registryDate } from './registry-date.js';

/** The few members of a domain object (RFC 9083 §5.3) of which a status is made. */
export interface RdapRecord {
  readonly statuses: readonly string[];
  readonly registeredAt: Date | null;
  readonly expiresAt: Date | null;
  /** false: the answer says that the date was taken out (RFC 9537). */
  readonly publishesExpiry: false | null;
}

/** Members that only a name's own record has, for the few servers that leave out what kind of object it is. */
const OF_A_DOMAIN = ['events', 'nameservers', 'secureDNS', 'entities'];

export function isDomainObject(answer: Json): boolean {
  const kind = member(answer, 'objectClassName');
  if (kind !== undefined) return textOf(kind).toLowerCase() === 'domain';
  return OF_A_DOMAIN.filter((key) => member(answer, key) !== undefined).length > 1;
}

/** True when the object is about this very name: by `ldhName`, or by `unicodeName` where that one is missing. */
export function isAbout(answer: Json, name: DomainName): boolean {
  const spelling = textOf(member(answer, 'ldhName')) || textOf(member(answer, 'unicodeName'));
  return name.isSpelt(spelling);
}

/** True when it names another one; an error that names none, as they are meant to be, is about what was asked. */
export function isAboutOther(answer: Json, name: DomainName): boolean {
  const told = ['ldhName', 'unicodeName']
    .map((key) => member(answer, key))
    .filter((spelling) => spelling !== undefined);
  return told.some((spelling) => !name.isSpelt(textOf(spelling)));
}

export function recordOf(answer: Json): RdapRecord {
  const statuses = listOf(member(answer, 'status')).map((status) => eppStatus(textOf(status).slice(0, 100)));
  const events = listOf(member(answer, 'events')).map(eventOf);
  return {
    statuses: [...new Set(statuses.filter((status) => status !== ''))],
    registeredAt: dateOf(events, REGISTRATION),
    expiresAt: dateOf(events, EXPIRATION),
    publishesExpiry: isExpiryRedacted(answer) ? false : null,
  };
}

const REGISTRATION = ['registration'];
/**
 * RFC 9083 §10.2.3, and the spelling of .kg (louislam/uptime-kuma#7861, 2026-09). Never `registrar expiration`, nor the
 * unofficial `soft expiration`: those are the registrar's own contract, not the registry's date.
 */
const EXPIRATION = ['expiration', 'record expires'];

/** As .au does, for every name. */
function isExpiryRedacted(answer: Json): boolean {
  return listOf(member(answer, 'redacted')).some((redaction) => {
    const name = member(redaction, 'name');
    const said = [
      textOf(member(name, 'type')),
      textOf(member(name, 'description')),
      textOf(member(redaction, 'prePath')),
    ];
    return said.some((text) => /\bexpir(?:ation|y)\b/i.test(text) && !/registrar expir/i.test(text));
  });
}

interface RdapEvent {
  readonly action: string;
  readonly date: Json;
}

function eventOf(event: Json): RdapEvent {
  const action = textOf(member(event, 'eventAction'))
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ');
  return { action, date: member(event, 'eventDate') };
}

/** The date of an event; null when it is missing, unreadable, or told twice and differently. */
function dateOf(events: readonly RdapEvent[], actions: readonly string[]): Date | null {
  const [date, ...others] = events
    .filter(({ action }) => actions.includes(action))
    .map((event) => registryDate(event.date));
  return date && others.every((other) => other?.getTime() === date.getTime()) ? date : null;
}
