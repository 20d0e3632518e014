import { type LookupErrorCode, MAX_EXCERPT_LENGTH, type ParsedResponse } from '../domain/lookup/lookup-result.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { isRestorable } from '../domain/deletion/release-rules.js';
import {
  absent,
  found,
  inReleasePeriod,
  premium,
  type RegistrationFacts,
  reserved,
} from '../domain/lifecycle/registration-facts.js';
import { findReleasePeriodIn, getReleasePeriod, type ReleasePeriod } from '../domain/lifecycle/release-periods.js';
import { TLD_RULES } from '../domain/tld-rules.js';
import type { RegistrationRecord } from '../domain/record/registration-record.js';
import { isObject, isWithinLimits, type Json, type ParsedJson, member, parseJson, toList } from './rdap-json.js';
import {
  isAboutName,
  isAboutOtherName,
  isDomainObject,
  parseRdapRecord,
  type RdapRecord,
  parseRdapRegistrationRecord,
} from './rdap-record.js';
import { hasReservationRemark, reportsLimitExceeded, readErrorText } from './rdap-text-rules.js';
import type { HttpReply } from '../transport/registry-http-client.js';
import { toPrintable } from '../answer-text/printable.js';
import { DAY, SECOND } from '../../kernel/clock.js';
import { parseRetryAfterMs } from '../../platform/outbound/retry-after.js';

type Verdict =
  | { readonly rule: string; readonly facts: RegistrationFacts; readonly record?: RegistrationRecord }
  | { readonly rule: string; readonly code: LookupErrorCode };

/** Interprets a registry's response about this name. A response that matches no rule is a failure, never a status. */
export function parseRdapResponse(name: DomainName, reply: HttpReply, now: Date): ParsedResponse {
  const json = parseJson(reply.body);
  const verdict = classifyByStatus(name, reply, json, now);
  const excerpt = rdapExcerpt(reply, json.value);
  if ('facts' in verdict) return { kind: 'facts', excerpt, ...verdict };
  return { kind: 'failure', excerpt, ...verdict, retryAfterSeconds: blockSeconds(reply.retryAfter, now) };
}

function classifyByStatus(name: DomainName, reply: HttpReply, { value: json, flaw }: ParsedJson, now: Date): Verdict {
  switch (reply.status) {
    case 200:
      return flaw ? unusable(`rdap.200.${flaw}`) : classifyRecord(name, json, now);
    case 404:
      return flaw ? unusable(`rdap.404.${flaw}`) : classifyNotFound(name, reply, json);
    case 429:
      return throttled('rdap.429');
    case 503:
      return blockSeconds(reply.retryAfter, now) === null ? unusable('rdap.503') : throttled('rdap.503.retry');
    default:
      return unusable(`rdap.${reply.status}`);
  }
}

function classifyRecord(name: DomainName, json: Json, now: Date): Verdict {
  if (!isObject(json)) return unusable('rdap.200.not_json');
  if (reportsLimitExceeded(json, name)) return throttled('rdap.200.quota');
  if (parseErrorCode(json) !== null) return unusable('rdap.200.error');
  if (!isDomainObject(json)) return unusable('rdap.200.not_a_domain');
  if (!isAboutName(json, name)) return unusable('rdap.200.other_name');
  if (['status', 'events'].some((key) => !isWithinLimits(member(json, key)))) return unusable('rdap.200.cut');
  const record = parseRdapRecord(json);
  const hasDates = record.registeredAt !== null || record.expiresAt !== null;
  if (hasOnlyStatuses(record, FREE_STATUSES))
    return hasDates ? unusable('rdap.200.contradiction') : classifyUnregistered(name, json);
  const release = hasDates ? null : (findRelease(record.statuses) ?? findReleaseOfBare(name, json, record));
  if (release) return { rule: `rdap.200.${release.id}`, facts: inReleasePeriod(release.id) };
  if (!hasDates && (hasAnyStatus(record, RESERVED_STATUSES) || hasReservationRemark(json, name)))
    return { rule: 'rdap.200.reserved', facts: { ...reserved, statuses: record.statuses } };
  const { statuses, registeredAt, expiresAt } = record;
  const publishesExpiry = expiresAt ? true : record.publishesExpiry;
  const quarantine = isRestorable(name, record, now) ? 'redemption' : null;
  return {
    rule: 'rdap.200',
    facts: found({ statuses, registeredAt, expiresAt, publishesExpiry, quarantine }),
    record: parseRdapRegistrationRecord(json, record),
  };
}

function findRelease(statuses: readonly string[]): ReleasePeriod | null {
  for (const status of statuses) {
    const period = findReleasePeriodIn(status);
    if (period) return period;
  }
  return null;
}

/** One registry sends a record that contains only the name, during the name's release process. */
function findReleaseOfBare({ registry }: DomainName, json: Json, { statuses }: RdapRecord): ReleasePeriod | null {
  const period = TLD_RULES.get(registry)?.bareRecord;
  const isBare = statuses.length === 0 && !HOLDER_MEMBERS.some((key) => hasContent(member(json, key)));
  return period !== undefined && isBare ? getReleasePeriod(period) : null;
}

/** Interprets a record with only FREE_STATUSES. Name servers or contacts would contradict these statuses. */
function classifyUnregistered(name: DomainName, json: Json): Verdict {
  if (HOLDER_MEMBERS.some((key) => hasContent(member(json, key)))) return unusable('rdap.200.contradiction');
  return applyTextRules(name, json, 'rdap.200', { rule: 'rdap.200.free', facts: absent });
}

const HOLDER_MEMBERS = ['nameservers', 'entities', 'secureDNS'];

function hasContent(value: Json): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

/** Compared with whole statuses, because `unavailable` contains `available`. */
const FREE_STATUSES = ['free', 'available'];
const RESERVED_STATUSES = ['reserved', 'blocked', 'not for registration', 'unavailable'];

function hasOnlyStatuses({ statuses }: RdapRecord, expected: readonly string[]): boolean {
  return statuses.length > 0 && statuses.every((status) => expected.includes(status));
}

function hasAnyStatus({ statuses }: RdapRecord, expected: readonly string[]): boolean {
  return statuses.some((status) => expected.includes(status));
}

/** A 404 means "no such name" (RFC 7480 §5.3) only if the media type or the body shows an RDAP server. */
function classifyNotFound(name: DomainName, { mediaType }: HttpReply, json: Json): Verdict {
  const isRdapMediaType = mediaType === 'application/rdap+json';
  if (json === undefined)
    return isRdapMediaType ? { rule: 'rdap.404.empty', facts: absent } : unusable('rdap.404.unmarked');
  if (!isObject(json)) return unusable('rdap.404.not_json');
  const errorCode = parseErrorCode(json);
  if (errorCode === '429') return throttled('rdap.404.contradiction');
  if (errorCode !== null && errorCode !== '404') return unusable('rdap.404.contradiction');
  if (RECORD_MEMBERS.some((key) => member(json, key) !== undefined)) return unusable('rdap.404.contradiction');
  if (isAboutOtherName(json, name)) return unusable('rdap.404.other_name');
  const { statuses } = parseRdapRecord(json);
  const release = findRelease(statuses);
  if (release) return { rule: `rdap.404.${release.id}`, facts: inReleasePeriod(release.id) };
  if (statuses.some((status) => RESERVED_STATUSES.includes(status)))
    return { rule: 'rdap.404.reserved', facts: reserved };
  if (!statuses.every((status) => FREE_STATUSES.includes(status) || status === '404'))
    return unusable('rdap.404.contradiction');
  if (!isRdapMediaType && errorCode === null && !Array.isArray(member(json, 'rdapConformance')))
    return unusable('rdap.404.unmarked');
  return applyTextRules(name, json, 'rdap.404', { rule: 'rdap.404', facts: absent });
}

/** Members of records (RFC 9083 §5.3) that errors never have (§6). With such a member, a 404 is unusable. */
const RECORD_MEMBERS = ['objectClassName', 'handle', 'events', 'entities', 'nameservers', 'secureDNS'];

/** Returns the error code as text, because some registries send a string. RFC 9083 §6 demands a number. */
function parseErrorCode(json: Json): string | null {
  const code = member(json, 'errorCode');
  if (code === undefined) return null;
  return typeof code === 'number' || typeof code === 'string' ? `${code}` : typeof code;
}

/** The members of an error answer that decide its meaning, together with the texts in NOTICE_MEMBERS. */
const ERROR_TEXT_MEMBERS = ['title', 'description', 'status'];
const NOTICE_MEMBERS = ['notices', 'remarks'];

/** Whether each text is short enough to be read whole. An unread end could say the opposite. */
function isErrorWithinLimits(json: Json): boolean {
  const notices = NOTICE_MEMBERS.map((key) => member(json, key)).filter(Array.isArray);
  const titles = notices.flatMap((list) => list.map((notice) => member(notice, 'title')));
  // Descriptions of notices may be longer: a long one is terms of use, which say nothing about the name.
  return [
    ...ERROR_TEXT_MEMBERS.map((key) => member(json, key)),
    ...notices.map((list) => list.map(() => '')),
    ...titles,
  ].every(isWithinLimits);
}

/** Returns `absence`, unless the response's texts say something else or are too long to read. */
function applyTextRules(name: DomainName, json: Json, rulePrefix: string, absence: Verdict): Verdict {
  if (!isErrorWithinLimits(json)) return unusable(`${rulePrefix}.cut`);
  const meaning = readErrorText(json, name);
  switch (meaning?.kind) {
    case undefined:
      return absence;
    case 'throttled':
      return throttled(`${rulePrefix}.quota`);
    case 'reserved':
      return { rule: `${rulePrefix}.reserved`, facts: reserved };
    case 'premium':
      return { rule: `${rulePrefix}.premium`, facts: premium };
    case 'released':
      return { rule: `${rulePrefix}.${meaning.period}`, facts: inReleasePeriod(meaning.period) };
    case 'denied':
    case 'decoration':
    case 'doubtful':
    case 'service':
    case 'taken':
    case 'terms':
    case 'unknown':
      return unusable(`${rulePrefix}.refused`);
  }
}

function unusable(rule: string): Verdict {
  return { rule, code: 'registry_answer_unusable' };
}

function throttled(rule: string): Verdict {
  return { rule, code: 'registry_throttled' };
}

const MAX_NOTICE_LENGTH = 120;

/** Keeps only JSON members that a status depends on, so that no contacts are stored as evidence. */
function rdapExcerpt(reply: HttpReply, json: Json): string {
  const excerpt = isObject(json) ? JSON.stringify(essentialMembers(json)) : describeBody(reply);
  return toPrintable(excerpt.slice(0, MAX_EXCERPT_LENGTH));
}

function essentialMembers(json: Json): Record<string, Json> {
  const text = (key: string) => truncatedText(member(json, key)) || undefined;
  const list = (key: string) => toList(member(json, key));
  const errorCode = member(json, 'errorCode');
  return {
    errorCode: typeof errorCode === 'number' ? errorCode : undefined,
    objectClassName: text('objectClassName'),
    ldhName: text('ldhName'),
    unicodeName: text('unicodeName'),
    status: unlessEmpty(list('status').map(truncatedText)),
    events: unlessEmpty(list('events').filter(isObject).map(formatEvent)),
    // Only errors have a title and a description at the top level (RFC 9083 §6).
    title: text('title'),
    description: unlessEmpty(list('description').map(truncatedText)),
    notices: unlessEmpty(list('notices').map(formatNotice)),
  };
}

function unlessEmpty(list: readonly string[]): readonly string[] | undefined {
  return list.length > 0 ? list : undefined;
}

function formatEvent(event: Json): string {
  return `${truncatedText(member(event, 'eventAction'))} ${truncatedText(member(event, 'eventDate'))}`;
}

function formatNotice(notice: Json): string {
  const lines = [member(notice, 'title'), ...toList(member(notice, 'description'))];
  return lines.map(truncatedText).join(': ').slice(0, MAX_NOTICE_LENGTH);
}

/** Keeps unprintable characters, because `rdapExcerpt` removes them from the whole excerpt. */
function truncatedText(value: Json): string {
  return typeof value === 'string' ? value.slice(0, MAX_EXCERPT_LENGTH) : '';
}

function describeBody({ mediaType, body }: HttpReply): string {
  const page = new TextDecoder().decode(body.subarray(0, 4_096));
  const title = /<title[^>]*>([^<]{1,200})/i.exec(page)?.[1];
  return `${mediaType || 'no media type'}, ${body.length} bytes${title ? `: ${title}` : ''}`;
}

/**
 * Returns the pause that Retry-After demands, in seconds; null for an invalid or past time. More than a day counts as a
 * mistake, and is shortened to a day.
 */
function blockSeconds(header: string | null, now: Date): number | null {
  const ms = parseRetryAfterMs(header, now) ?? 0;
  return ms > 0 ? Math.ceil(Math.min(ms, DAY) / SECOND) : null;
}
