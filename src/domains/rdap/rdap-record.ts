import type { DomainName } from '../domain/name/domain-name.js';
import { normalizeEppStatus } from '../domain/lifecycle/epp-status.js';
import { type Json, toList, member, toText, isWithinLimits } from './rdap-json.js';
import { parseRegistryDate } from '../answer-text/registry-date.js';
import {
  type DsRecord,
  type Registrar,
  type RegistrationRecord,
  toRegistrationRecord,
} from '../domain/record/registration-record.js';

/** The statuses and dates of a domain object (RFC 9083 §5.3). */
export interface RdapRecord {
  readonly statuses: readonly string[];
  readonly registeredAt: Date | null;
  readonly expiresAt: Date | null;
  /** false if the response says that the expiry date is redacted (RFC 9537). */
  readonly publishesExpiry: false | null;
  readonly lastTransferAt: Date | null;
}

/** Members by which a domain object is recognized if the server omits `objectClassName`. */
const DOMAIN_MEMBERS = ['events', 'nameservers', 'secureDNS', 'entities'];

export function isDomainObject(json: Json): boolean {
  const objectClass = member(json, 'objectClassName');
  if (objectClass !== undefined) return toText(objectClass).toLowerCase() === 'domain';
  return DOMAIN_MEMBERS.filter((key) => member(json, key) !== undefined).length > 1;
}

export function isAboutName(json: Json, name: DomainName): boolean {
  const spelling = toText(member(json, 'ldhName')) || toText(member(json, 'unicodeName'));
  return name.matchesSpelling(spelling);
}

/**
 * Whether the response is about another domain. Returns false for a response that states no domain, such as most error
 * responses.
 */
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
    lastTransferAt: latestTransfer(events),
  };
}

function parseStatuses(status: Json): readonly string[] {
  const statuses = toList(status).map((one) => normalizeEppStatus(toText(one).slice(0, 100)));
  return [...new Set(statuses.filter((one) => one !== ''))];
}

const REGISTRATION_ACTIONS = ['registration'];
/**
 * Without `registrar expiration` and `soft expiration`, which end the registrar's contract. Sources: RFC 9083 §10.2.3;
 * .kg (louislam/uptime-kuma#7861, 2026-09).
 */
const EXPIRATION_ACTIONS = ['expiration', 'record expires'];

/** Whether the response says that its expiry is redacted, as .au does for every name. */
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
  const action = toText(member(event, 'eventAction'))
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ');
  return { action, date: member(event, 'eventDate') };
}

/**
 * Returns the date of the event with one of these actions; null if the date is missing, unreadable, or given twice with
 * different values.
 */
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

function latestTransfer(events: readonly RdapEvent[]): Date | null {
  let latest: Date | null = null;
  for (const { action, date } of events) {
    const transferredAt = action === 'transfer' ? parseRegistryDate(date) : null;
    if (transferredAt && (!latest || transferredAt > latest)) latest = transferredAt;
  }
  return latest;
}

/** Reads a domain object (RFC 9083 §5.3). A missing member is unknown, because it may be redacted. */
export function parseRdapRegistrationRecord(json: Json, { statuses, lastTransferAt }: RdapRecord): RegistrationRecord {
  return toRegistrationRecord({
    nameservers: parseNameservers(json, statuses),
    registrar: parseRegistrar(member(json, 'entities')),
    statuses,
    ds: parseDelegationSigners(member(json, 'secureDNS')),
    lastTransferAt,
  });
}

/**
 * Returns null for an incomplete list. With the status `inactive`, a missing list means no delegation (RFC 5731 §2.3).
 */
function parseNameservers(json: Json, statuses: readonly string[]): readonly string[] | null {
  const nameservers = member(json, 'nameservers');
  if (nameservers === undefined) return statuses.includes('inactive') ? [] : null;
  if (!isCompleteList(nameservers)) return null;
  return toList(nameservers).map((each) => toText(member(each, 'ldhName')) || toText(member(each, 'unicodeName')));
}

/** Returns null for two different registrars, because a choice would depend on their order. */
function parseRegistrar(entities: Json): Registrar | null {
  const [registrar, ...others] = toList(entities).filter(isRegistrar).map(toRegistrar);
  if (!registrar) return null;
  const isSame = ({ name, ianaId }: Registrar) => name === registrar.name && ianaId === registrar.ianaId;
  return others.every(isSame) ? registrar : null;
}

/** Leaves out an entity that is also the registrant, who could be a person. */
function isRegistrar(entity: Json): boolean {
  const roles = toList(member(entity, 'roles'));
  return roles.includes('registrar') && !roles.includes('registrant');
}

function toRegistrar(entity: Json): Registrar {
  const ids = toList(member(entity, 'publicIds'));
  const ianaId = ids.find((id) => /^iana registrar id$/i.test(toText(member(id, 'type'))));
  return {
    name: parseOrganization(member(entity, 'vcardArray')),
    ianaId: toText(member(ianaId, 'identifier')) || null,
  };
}

/** Returns the organization of a jCard (RFC 7095). If there is none, returns the full name, but not a person's name. */
function parseOrganization(jcard: Json): string | null {
  const properties = Array.isArray(jcard) ? toList(jcard[1]).filter(Array.isArray) : [];
  const textOf = (key: string) => {
    const value: Json = properties.find(([name]) => name === key)?.[3];
    return toText(Array.isArray(value) ? value[0] : value);
  };
  const isPerson = textOf('kind').toLowerCase() === 'individual';
  return textOf('org') || (isPerson ? null : textOf('fn') || null);
}

/** Returns null if the records of a signed delegation are left out, as some servers do (RFC 9083 §5.3). */
function parseDelegationSigners(secureDns: Json): readonly DsRecord[] | null {
  const isSigned = member(secureDns, 'delegationSigned');
  const records = member(secureDns, 'dsData');
  if (!isCompleteList(records)) return null;
  const list = toList(records);
  if (list.length === 0) return isSigned === false ? [] : null;
  return isSigned === false ? null : list.map(toDsRecord);
}

function toDsRecord(record: Json): DsRecord {
  const number = (key: string) => toNumber(member(record, key));
  const digest = toText(member(record, 'digest'));
  return { keyTag: number('keyTag'), algorithm: number('algorithm'), digestType: number('digestType'), digest };
}

/** Also accepts a number in a text, which some servers send instead of a JSON number. */
function toNumber(value: Json): number {
  if (typeof value === 'string' && /^\d{1,5}$/.test(value)) return Number(value);
  return typeof value === 'number' ? value : NaN;
}

function isCompleteList(value: Json): boolean {
  return !Array.isArray(value) || isWithinLimits(value);
}
