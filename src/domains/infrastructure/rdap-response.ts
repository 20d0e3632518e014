import type { DomainName } from '../domain/domain-name.js';
import type { LookFailureCode } from '../domain/look.js';
import { isRestorable } from '../domain/deletion-rule.js';
import { absent, found, inReleasePeriod, premium, type RegistrationFacts, reserved } from '../domain/registration.js';
import { excerptOf } from './rdap-excerpt.js';
import { isObject, isReadWhole, type Json, type JsonRead, member, readJson } from './rdap-json.js';
import { isAbout, isAboutOther, isDomainObject, recordOf, type RdapRecord } from './rdap-record.js';
import { remarksReservation, reportsPassedLimit, wordingOfError } from './rdap-wording.js';
import type { HttpReply } from './registry-http.js';
import { retryAfterSeconds } from './retry-after.js';

/** What one answer means, and the id of the rule that says so. */
export type RdapReading = { readonly rule: string; readonly excerpt: string } & (
  | { readonly kind: 'facts'; readonly facts: RegistrationFacts }
  | { readonly kind: 'failure'; readonly code: LookFailureCode; readonly retryAfterSeconds: number | null }
);
type Verdict =
  | { readonly rule: string; readonly facts: RegistrationFacts }
  | { readonly rule: string; readonly code: LookFailureCode };

/**
 * Reads a registry's answer to a query for exactly this name. An absence is believed only where a rule allows it;
 * whatever no rule knows is a failure, never a status.
 */
export function readRdap(name: DomainName, reply: HttpReply, now: Date): RdapReading {
  const read = readJson(reply.body);
  const verdict = verdictOf(name, reply, read, now);
  const excerpt = excerptOf(reply, read.value);
  if ('facts' in verdict) return { kind: 'facts', excerpt, ...verdict };
  return { kind: 'failure', excerpt, ...verdict, retryAfterSeconds: retryAfterSeconds(reply.retryAfter, now) };
}

function verdictOf(name: DomainName, reply: HttpReply, { value: answer, flaw }: JsonRead, now: Date): Verdict {
  switch (reply.status) {
    case 200:
      return flaw ? unusable(`rdap.200.${flaw}`) : readRecord(name, answer, now);
    case 404:
      return flaw ? unusable(`rdap.404.${flaw}`) : readNotFound(name, reply, answer);
    case 429:
      return throttled('rdap.429');
    case 503:
      return retryAfterSeconds(reply.retryAfter, now) === null ? unusable('rdap.503') : throttled('rdap.503.retry');
    default:
      return unusable(`rdap.${reply.status}`);
  }
}

function readRecord(name: DomainName, answer: Json, now: Date): Verdict {
  if (!isObject(answer)) return unusable('rdap.200.not_json');
  if (reportsPassedLimit(answer)) return throttled('rdap.200.quota');
  if (errorCodeOf(answer) !== null) return unusable('rdap.200.error');
  if (!isDomainObject(answer)) return unusable('rdap.200.not_a_domain');
  if (!isAbout(answer, name)) return unusable('rdap.200.other_name');
  if (['status', 'events'].some((key) => !isReadWhole(member(answer, key)))) return unusable('rdap.200.cut');
  const record = recordOf(answer);
  const isHeld = record.registeredAt !== null || record.expiresAt !== null;
  if (saysOnly(record, FREE)) return isHeld ? unusable('rdap.200.contradiction') : readFree(name, answer);
  if (!isHeld && (says(record, KEPT_BACK) || remarksReservation(answer, name)))
    return { rule: 'rdap.200.reserved', facts: { ...reserved, statuses: record.statuses } };
  const publishesExpiry = record.expiresAt ? true : record.publishesExpiry;
  const quarantine = isRestorable(name, record, now) ? 'redemption' : null;
  return { rule: 'rdap.200', facts: found({ ...record, publishesExpiry, quarantine }) };
}

/** A record that says of itself that nobody has the name; whoever has one has servers, contacts, dates. */
function readFree(name: DomainName, answer: Json): Verdict {
  if (OF_HOLDERS.some((key) => isTold(member(answer, key)))) return unusable('rdap.200.contradiction');
  return readWording(name, answer, 'rdap.200', { rule: 'rdap.200.free', facts: absent });
}

const OF_HOLDERS = ['nameservers', 'entities', 'secureDNS'];

function isTold(value: Json): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

/** Whole statuses: as a part of one, `available` would also be found in `unavailable`. */
const FREE = ['free', 'available'];
const KEPT_BACK = ['reserved', 'blocked', 'not for registration', 'unavailable'];

function saysOnly({ statuses }: RdapRecord, words: readonly string[]): boolean {
  return statuses.length > 0 && statuses.every((status) => words.includes(status));
}

function says({ statuses }: RdapRecord, words: readonly string[]): boolean {
  return statuses.some((status) => words.includes(status));
}

/**
 * A 404 is the registry's "no such name" (RFC 7480 §5.3) only if the answer shows that an RDAP server made it: by its
 * media type, or by a body in RDAP's form. An empty body proves nothing else, so it needs the media type.
 */
function readNotFound(name: DomainName, { mediaType }: HttpReply, answer: Json): Verdict {
  const isMarked = mediaType === 'application/rdap+json';
  if (answer === undefined) return isMarked ? { rule: 'rdap.404.empty', facts: absent } : unusable('rdap.404.unmarked');
  if (!isObject(answer)) return unusable('rdap.404.not_json');
  const errorCode = errorCodeOf(answer);
  if (errorCode === '429') return throttled('rdap.404.contradiction');
  if (errorCode !== null && errorCode !== '404') return unusable('rdap.404.contradiction');
  if (OF_RECORDS.some((key) => member(answer, key) !== undefined)) return unusable('rdap.404.contradiction');
  if (isAboutOther(answer, name)) return unusable('rdap.404.other_name');
  const { statuses } = recordOf(answer);
  if (statuses.some((status) => KEPT_BACK.includes(status))) return { rule: 'rdap.404.reserved', facts: reserved };
  if (!statuses.every((status) => FREE.includes(status) || status === '404')) return unusable('rdap.404.contradiction');
  if (!isMarked && errorCode === null && !Array.isArray(member(answer, 'rdapConformance')))
    return unusable('rdap.404.unmarked');
  return readWording(name, answer, 'rdap.404', { rule: 'rdap.404', facts: absent });
}

/** What no error has (RFC 9083 §6), and every record some of (§5.3): a record that came with a 404 is no absence. */
const OF_RECORDS = ['objectClassName', 'handle', 'events', 'entities', 'nameservers', 'secureDNS'];

/** RFC 9083 §6 makes it a number; some write a string. Anything else is spelt as what it is, no code at all. */
function errorCodeOf(answer: Json): string | null {
  const code = member(answer, 'errorCode');
  if (code === undefined) return null;
  return typeof code === 'number' || typeof code === 'string' ? `${code}` : typeof code;
}

/** What the words of an error are looked for in; a long notice is somebody's rules, and may be read in part. */
const OF_ERRORS = ['title', 'description', 'status'];
const NOTICES = ['notices', 'remarks'];

/** What was cut could say the opposite. */
function isErrorReadWhole(answer: Json): boolean {
  const notices = NOTICES.map((key) => member(answer, key)).filter(Array.isArray);
  const titles = notices.flatMap((list) => list.map((notice) => member(notice, 'title')));
  return [
    ...OF_ERRORS.map((key) => member(answer, key)),
    ...notices.map((list) => list.map(() => '')),
    ...titles,
  ].every(isReadWhole);
}

/** The words may take an absence away. */
function readWording(name: DomainName, answer: Json, where: string, absence: Verdict): Verdict {
  if (!isErrorReadWhole(answer)) return unusable(`${where}.cut`);
  const wording = wordingOfError(answer, name);
  switch (wording) {
    case 'throttled':
      return throttled(`${where}.quota`);
    case 'refused':
      return unusable(`${where}.refused`);
    case 'reserved':
      return { rule: `${where}.reserved`, facts: reserved };
    case 'premium':
      return { rule: `${where}.premium`, facts: premium };
    case null:
      return absence;
    case 'expiry_access_period':
    case 'dropzone':
      return { rule: `${where}.${wording}`, facts: inReleasePeriod(wording) };
  }
}

function unusable(rule: string): Verdict {
  return { rule, code: 'registry_answer_unusable' };
}

function throttled(rule: string): Verdict {
  return { rule, code: 'registry_throttled' };
}
