import { LRUCache } from 'lru-cache';
import type { DomainName } from '../domain/name/domain-name.js';
import { normalizeEppStatus } from '../domain/lifecycle/epp-status.js';
import { type Json, toList, member, toText } from './rdap-json.js';
import { rememberByList } from './remember-by-list.js';
import { parseRegistryDate } from '../answer-text/registry-date.js';

/** The members of a domain object (RFC 9083 §5.3) that a status is derived from. */
export interface RdapRecord {
  readonly statuses: readonly string[];
  readonly registeredAt: Date | null;
  readonly expiresAt: Date | null;
  /** false: the response says that the date is redacted (RFC 9537). */
  readonly publishesExpiry: false | null;
}

/** Members that only domain objects have, for the few servers that omit `objectClassName`. */
const DOMAIN_MEMBERS = ['events', 'nameservers', 'secureDNS', 'entities'];

export function isDomainObject(json: Json): boolean {
  const objectClass = member(json, 'objectClassName');
  if (objectClass !== undefined) return toText(objectClass).toLowerCase() === 'domain';
  return DOMAIN_MEMBERS.filter((key) => member(json, key) !== undefined).length > 1;
}

/** By `ldhName`, or by `unicodeName` where that is missing. */
export function isAboutName(json: Json, name: DomainName): boolean {
  const spelling = toText(member(json, 'ldhName')) || toText(member(json, 'unicodeName'));
  return name.matchesSpelling(spelling);
}

/** True when it names another domain; errors usually name none. */
export function isAboutOtherName(json: Json, name: DomainName): boolean {
  const spellings = ['ldhName', 'unicodeName']
    .map((key) => member(json, key))
    .filter((spelling) => spelling !== undefined);
  return spellings.some((spelling) => !name.matchesSpelling(toText(spelling)));
}

export function parseRdapRecord(json: Json): RdapRecord {
  const events = toList(member(json, 'events')).map(parseEvent);
  return {
    statuses: parseStatuses(member(json, 'status')),
    registeredAt: eventDate(events, REGISTRATION_ACTIONS),
    expiresAt: eventDate(events, EXPIRATION_ACTIONS),
    publishesExpiry: isExpiryRedacted(json) ? false : null,
  };
}

/** Plain records share their lists of statuses. */
const parseStatuses = rememberByList((status: Json): readonly string[] => {
  const statuses = toList(status).map((one) => normalizeEppStatus(toText(one).slice(0, 100)));
  return [...new Set(statuses.filter((one) => one !== ''))];
});

const REGISTRATION_ACTIONS = ['registration'];
/**
 * RFC 9083 §10.2.3, and the spelling of .kg (louislam/uptime-kuma#7861, 2026-09). Never `registrar expiration`, nor the
 * unofficial `soft expiration`: those are the registrar's own contract, not the registry's date.
 */
const EXPIRATION_ACTIONS = ['expiration', 'record expires'];

/** .au redacts it for every name. */
function isExpiryRedacted(json: Json): boolean {
  return toList(member(json, 'redacted')).some((redaction) => {
    const name = member(redaction, 'name');
    const redactedParts = [
      toText(member(name, 'type')),
      toText(member(name, 'description')),
      toText(member(redaction, 'prePath')),
    ];
    return redactedParts.some((text) => /\bexpir(?:ation|y)\b/i.test(text) && !/registrar expir/i.test(text));
  });
}

interface RdapEvent {
  readonly action: string;
  readonly date: Json;
}

function parseEvent(event: Json): RdapEvent {
  const text = toText(member(event, 'eventAction'));
  let action = knownActions.get(text);
  if (action === undefined) knownActions.set(text, (action = text.toLowerCase().replace(/[\s_-]+/g, ' ')));
  return { action, date: member(event, 'eventDate') };
}

/** The standard has a dozen, and servers their own spellings. */
const knownActions = new LRUCache<string, string>({ max: 100 });

/** The date of an event; null when it is missing, unreadable, or given twice with different values. */
function eventDate(events: readonly RdapEvent[], actions: readonly string[]): Date | null {
  let found: Date | null = null;
  for (const event of events) {
    if (!actions.includes(event.action)) continue;
    const date = parseRegistryDate(event.date);
    if (!date || (found && date.getTime() !== found.getTime())) return null;
    found = date;
  }
  return found;
}
