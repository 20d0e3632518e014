import type { DomainName } from '../../domain/name/domain-name.js';
import type { LookupErrorCode } from '../../domain/lookup/lookup-result.js';
import { isRestorable } from '../../domain/deletion/deletion-rules.js';
import {
  absent,
  found,
  inReleasePeriod,
  premium,
  type RegistrationFacts,
  reserved,
} from '../../domain/lifecycle/registration-facts.js';
import { rdapExcerpt } from './rdap-excerpt.js';
import { isObject, isWithinLimits, type Json, type ParsedJson, member, parseJson } from './rdap-json.js';
import { isAboutName, isAboutOtherName, isDomainObject, parseRdapRecord, type RdapRecord } from './rdap-record.js';
import { hasReservationRemark, reportsLimitExceeded, classifyErrorText } from './rdap-text-rules.js';
import type { HttpReply } from './registry-http-client.js';
import { parseRetryAfter } from './retry-after.js';

/** What one answer means, and the id of the rule that says so. */
export type ParsedRdapResponse = { readonly rule: string; readonly excerpt: string } & (
  | { readonly kind: 'facts'; readonly facts: RegistrationFacts }
  | { readonly kind: 'failure'; readonly code: LookupErrorCode; readonly retryAfterSeconds: number | null }
);
type Verdict =
  | { readonly rule: string; readonly facts: RegistrationFacts }
  | { readonly rule: string; readonly code: LookupErrorCode };

/**
 * Reads a registry's answer to a query for exactly this name. An absence is believed only where a rule allows it;
 * whatever no rule knows is a failure, never a status.
 */
export function parseRdapResponse(name: DomainName, reply: HttpReply, now: Date): ParsedRdapResponse {
  const read = parseJson(reply.body);
  const verdict = classifyByStatus(name, reply, read, now);
  const excerpt = rdapExcerpt(reply, read.value);
  if ('facts' in verdict) return { kind: 'facts', excerpt, ...verdict };
  return { kind: 'failure', excerpt, ...verdict, retryAfterSeconds: parseRetryAfter(reply.retryAfter, now) };
}

function classifyByStatus(name: DomainName, reply: HttpReply, { value: answer, flaw }: ParsedJson, now: Date): Verdict {
  switch (reply.status) {
    case 200:
      return flaw ? unusable(`rdap.200.${flaw}`) : classifyRecord(name, answer, now);
    case 404:
      return flaw ? unusable(`rdap.404.${flaw}`) : classifyNotFound(name, reply, answer);
    case 429:
      return throttled('rdap.429');
    case 503:
      return parseRetryAfter(reply.retryAfter, now) === null ? unusable('rdap.503') : throttled('rdap.503.retry');
    default:
      return unusable(`rdap.${reply.status}`);
  }
}

function classifyRecord(name: DomainName, answer: Json, now: Date): Verdict {
  if (!isObject(answer)) return unusable('rdap.200.not_json');
  if (reportsLimitExceeded(answer)) return throttled('rdap.200.quota');
  if (parseErrorCode(answer) !== null) return unusable('rdap.200.error');
  if (!isDomainObject(answer)) return unusable('rdap.200.not_a_domain');
  if (!isAboutName(answer, name)) return unusable('rdap.200.other_name');
  if (['status', 'events'].some((key) => !isWithinLimits(member(answer, key)))) return unusable('rdap.200.cut');
  const record = parseRdapRecord(answer);
  const isHeld = record.registeredAt !== null || record.expiresAt !== null;
  if (hasOnlyStatuses(record, FREE_STATUSES))
    return isHeld ? unusable('rdap.200.contradiction') : classifyUnregistered(name, answer);
  if (!isHeld && (hasAnyStatus(record, RESERVED_STATUSES) || hasReservationRemark(answer, name)))
    return { rule: 'rdap.200.reserved', facts: { ...reserved, statuses: record.statuses } };
  const publishesExpiry = record.expiresAt ? true : record.publishesExpiry;
  const quarantine = isRestorable(name, record, now) ? 'redemption' : null;
  return { rule: 'rdap.200', facts: found({ ...record, publishesExpiry, quarantine }) };
}

/** A record that says of itself that nobody has the name; whoever has one has servers, contacts, dates. */
function classifyUnregistered(name: DomainName, answer: Json): Verdict {
  if (HOLDER_MEMBERS.some((key) => hasContent(member(answer, key)))) return unusable('rdap.200.contradiction');
  return applyTextRules(name, answer, 'rdap.200', { rule: 'rdap.200.free', facts: absent });
}

const HOLDER_MEMBERS = ['nameservers', 'entities', 'secureDNS'];

function hasContent(value: Json): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

/** Whole statuses: as a part of one, `available` would also be found in `unavailable`. */
const FREE_STATUSES = ['free', 'available'];
const RESERVED_STATUSES = ['reserved', 'blocked', 'not for registration', 'unavailable'];

function hasOnlyStatuses({ statuses }: RdapRecord, words: readonly string[]): boolean {
  return statuses.length > 0 && statuses.every((status) => words.includes(status));
}

function hasAnyStatus({ statuses }: RdapRecord, words: readonly string[]): boolean {
  return statuses.some((status) => words.includes(status));
}

/**
 * A 404 is the registry's "no such name" (RFC 7480 §5.3) only if the answer shows that an RDAP server made it: by its
 * media type, or by a body in RDAP's form. An empty body proves nothing else, so it needs the media type.
 */
function classifyNotFound(name: DomainName, { mediaType }: HttpReply, answer: Json): Verdict {
  const isMarked = mediaType === 'application/rdap+json';
  if (answer === undefined) return isMarked ? { rule: 'rdap.404.empty', facts: absent } : unusable('rdap.404.unmarked');
  if (!isObject(answer)) return unusable('rdap.404.not_json');
  const errorCode = parseErrorCode(answer);
  if (errorCode === '429') return throttled('rdap.404.contradiction');
  if (errorCode !== null && errorCode !== '404') return unusable('rdap.404.contradiction');
  if (RECORD_MEMBERS.some((key) => member(answer, key) !== undefined)) return unusable('rdap.404.contradiction');
  if (isAboutOtherName(answer, name)) return unusable('rdap.404.other_name');
  const { statuses } = parseRdapRecord(answer);
  if (statuses.some((status) => RESERVED_STATUSES.includes(status)))
    return { rule: 'rdap.404.reserved', facts: reserved };
  if (!statuses.every((status) => FREE_STATUSES.includes(status) || status === '404'))
    return unusable('rdap.404.contradiction');
  if (!isMarked && errorCode === null && !Array.isArray(member(answer, 'rdapConformance')))
    return unusable('rdap.404.unmarked');
  return applyTextRules(name, answer, 'rdap.404', { rule: 'rdap.404', facts: absent });
}

/** What no error has (RFC 9083 §6), and every record some of (§5.3): a record that came with a 404 is no absence. */
const RECORD_MEMBERS = ['objectClassName', 'handle', 'events', 'entities', 'nameservers', 'secureDNS'];

/** RFC 9083 §6 makes it a number; some write a string. Anything else is spelt as what it is, no code at all. */
function parseErrorCode(answer: Json): string | null {
  const code = member(answer, 'errorCode');
  if (code === undefined) return null;
  return typeof code === 'number' || typeof code === 'string' ? `${code}` : typeof code;
}

/** What the words of an error are looked for in; a long notice is somebody's rules, and may be read in part. */
const ERROR_TEXT_MEMBERS = ['title', 'description', 'status'];
const NOTICE_MEMBERS = ['notices', 'remarks'];

/** What was cut could say the opposite. */
function isErrorWithinLimits(answer: Json): boolean {
  const notices = NOTICE_MEMBERS.map((key) => member(answer, key)).filter(Array.isArray);
  const titles = notices.flatMap((list) => list.map((notice) => member(notice, 'title')));
  return [
    ...ERROR_TEXT_MEMBERS.map((key) => member(answer, key)),
    ...notices.map((list) => list.map(() => '')),
    ...titles,
  ].every(isWithinLimits);
}

/** The words may take an absence away. */
function applyTextRules(name: DomainName, answer: Json, where: string, absence: Verdict): Verdict {
  if (!isErrorWithinLimits(answer)) return unusable(`${where}.cut`);
  const wording = classifyErrorText(answer, name);
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
