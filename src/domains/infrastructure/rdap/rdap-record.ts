import type { DomainName } from '../../domain/name/domain-name.js';
import { normalizeEppStatus } from '../../domain/lifecycle/epp-status.js';
import { type Json, toList, member, toText } from './rdap-json.js';
import { parseRegistryDate } from '../answer-text/registry-date.js';

/** The few members of a domain object (RFC 9083 §5.3) of which a status is made. */
export interface RdapRecord {
  readonly statuses: readonly string[];
  readonly registeredAt: Date | null;
  readonly expiresAt: Date | null;
  /** false: the answer says that the date was taken out (RFC 9537). */
  readonly publishesExpiry: false | null;
}

/** Members that only a name's own record has, for the few servers that leave out what kind of object it is. */
const DOMAIN_MEMBERS = ['events', 'nameservers', 'secureDNS', 'entities'];

export function isDomainObject(answer: Json): boolean {
  const kind = member(answer, 'objectClassName');
  if (kind !== undefined) return toText(kind).toLowerCase() === 'domain';
  return DOMAIN_MEMBERS.filter((key) => member(answer, key) !== undefined).length > 1;
}

/** True when the object is about this very name: by `ldhName`, or by `unicodeName` where that one is missing. */
export function isAboutName(answer: Json, name: DomainName): boolean {
  const spelling = toText(member(answer, 'ldhName')) || toText(member(answer, 'unicodeName'));
  return name.matchesSpelling(spelling);
}

/** True when it names another one; an error that names none, as they are meant to be, is about what was asked. */
export function isAboutOtherName(answer: Json, name: DomainName): boolean {
  const told = ['ldhName', 'unicodeName']
    .map((key) => member(answer, key))
    .filter((spelling) => spelling !== undefined);
  return told.some((spelling) => !name.matchesSpelling(toText(spelling)));
}

export function parseRdapRecord(answer: Json): RdapRecord {
  const statuses = toList(member(answer, 'status')).map((status) => normalizeEppStatus(toText(status).slice(0, 100)));
  const events = toList(member(answer, 'events')).map(parseEvent);
  return {
    statuses: [...new Set(statuses.filter((status) => status !== ''))],
    registeredAt: eventDate(events, REGISTRATION_ACTIONS),
    expiresAt: eventDate(events, EXPIRATION_ACTIONS),
    publishesExpiry: isExpiryRedacted(answer) ? false : null,
  };
}

const REGISTRATION_ACTIONS = ['registration'];
/**
 * RFC 9083 §10.2.3, and the spelling of .kg (louislam/uptime-kuma#7861, 2026-09). Never `registrar expiration`, nor the
 * unofficial `soft expiration`: those are the registrar's own contract, not the registry's date.
 */
const EXPIRATION_ACTIONS = ['expiration', 'record expires'];

/** As .au does, for every name. */
function isExpiryRedacted(answer: Json): boolean {
  return toList(member(answer, 'redacted')).some((redaction) => {
    const name = member(redaction, 'name');
    const said = [
      toText(member(name, 'type')),
      toText(member(name, 'description')),
      toText(member(redaction, 'prePath')),
    ];
    return said.some((text) => /\bexpir(?:ation|y)\b/i.test(text) && !/registrar expir/i.test(text));
  });
}

interface RdapEvent {
  readonly action: string;
  readonly date: Json;
}

function parseEvent(event: Json): RdapEvent {
  const action = toText(member(event, 'eventAction'))
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ');
  return { action, date: member(event, 'eventDate') };
}

/** The date of an event; null when it is missing, unreadable, or told twice and differently. */
function eventDate(events: readonly RdapEvent[], actions: readonly string[]): Date | null {
  const [date, ...others] = events
    .filter(({ action }) => actions.includes(action))
    .map((event) => parseRegistryDate(event.date));
  return date && others.every((other) => other?.getTime() === date.getTime()) ? date : null;
}
