import { type RegistrationRecord, toRegistrationRecord } from '../domain/record/registration-record.js';
import type { DsRecord } from '../domain/record/ds-record.js';
import type { Registrar } from '../domain/record/registrar.js';
import { parseRegistryDate } from '../answer-text/registry-date.js';
import { isWithinLimits, type Json, member, toList, toText } from './rdap-json.js';
import type { RdapRecord } from './rdap-record.js';
import { rememberByList } from './remember-by-list.js';

/**
 * What a domain object (RFC 9083 §5.3) says beside the facts. Registries leave members out that they have no content
 * for, do not publish, or redact, so a missing one is unknown.
 */
export function parseRdapRegistrationRecord(json: Json, { statuses }: RdapRecord): RegistrationRecord {
  return toRegistrationRecord({
    nameservers: parseNameservers(json, statuses),
    registrar: parseRegistrar(member(json, 'entities')),
    statuses,
    ds: parseDelegationSigners(member(json, 'secureDNS')),
    lastTransferAt: parseLastTransfer(json),
  });
}

/** `inactive` says that the domain has no delegation (RFC 5731 §2.3), even where the empty list is left out. */
function parseNameservers(json: Json, statuses: readonly string[]): readonly string[] | null {
  const nameservers = member(json, 'nameservers');
  if (nameservers === undefined) return statuses.includes('inactive') ? [] : null;
  if (!isCompleteList(nameservers)) return null;
  return readNameservers(nameservers);
}

const readNameservers = rememberByList((nameservers: Json): readonly string[] =>
  toList(nameservers).map((each) => toText(member(each, 'ldhName')) || toText(member(each, 'unicodeName'))),
);

/** Two different ones would depend on their order. */
const parseRegistrar = rememberByList((entities: Json): Registrar | null => {
  const [registrar, ...others] = toList(entities).filter(isRegistrar).map(toRegistrar);
  if (!registrar) return null;
  const isSame = ({ name, ianaId }: Registrar) => name === registrar.name && ianaId === registrar.ianaId;
  return others.every(isSame) ? registrar : null;
});

/** An entity that is the registrant as well could be a person. */
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

/** The organization of a jCard (RFC 7095); its full name could be a person's, but some have nothing else. */
function parseOrganization(jcard: Json): string | null {
  if (typeof jcard !== 'object' || jcard === null) return null;
  let name = organizations.get(jcard);
  if (name === undefined) organizations.set(jcard, (name = readOrganization(jcard)));
  return name;
}

/** Plain records share the cards of their registrars. */
const organizations = new WeakMap<object, string | null>();

function readOrganization(jcard: Json): string | null {
  const properties = Array.isArray(jcard) ? toList(jcard[1]).filter(Array.isArray) : [];
  const textOf = (key: string) => {
    const value: Json = properties.find(([name]) => name === key)?.[3];
    return toText(Array.isArray(value) ? value[0] : value);
  };
  const isPerson = textOf('kind').toLowerCase() === 'individual';
  return textOf('org') || (isPerson ? null : textOf('fn') || null);
}

/** RFC 9083 §5.3. Some servers say that a delegation is signed and leave the records out. */
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

/** A number in the standard, a text at some servers. */
function toNumber(value: Json): number {
  if (typeof value === 'string' && /^\d{1,5}$/.test(value)) return Number(value);
  return typeof value === 'number' ? value : NaN;
}

function parseLastTransfer(json: Json): Date | null {
  const transfers = toList(member(json, 'events')).filter((event) => isTransfer(member(event, 'eventAction')));
  const times = transfers.flatMap((event) => parseRegistryDate(member(event, 'eventDate'))?.getTime() ?? []);
  return times.length > 0 ? new Date(Math.max(...times)) : null;
}

function isTransfer(action: Json): boolean {
  return typeof action === 'string' && /transfer/i.test(action) && toText(action).toLowerCase() === 'transfer';
}

function isCompleteList(value: Json): boolean {
  return !Array.isArray(value) || isWithinLimits(value);
}
