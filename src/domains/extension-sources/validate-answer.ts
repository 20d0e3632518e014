import { isDate } from 'node:util/types';
import { isIP } from 'node:net';
import { DAY, SECOND } from '../../kernel/clock.js';
import type { SourceAnswer, SourceServer, RegistryServer } from '../domain/lookup/lookup-source.js';
import { normalizeEppStatus } from '../domain/lifecycle/epp-status.js';
import {
  found,
  inReleasePeriod,
  premium,
  absent,
  reserved,
  type RegistrationFacts,
} from '../domain/lifecycle/registration-facts.js';
import { getReleasePeriod, type ReleasePeriod } from '../domain/lifecycle/release-periods.js';
import { LOOKUP_ERROR_CODES, type LookupErrorCode, MAX_EXCERPT_LENGTH } from '../domain/lookup/lookup-result.js';
import { toPrintable } from '../answer-text/printable.js';
import {
  type DsRecord,
  MAX_RECORD_ITEMS,
  type RegistrationRecord,
  toRegistrationRecord,
} from '../domain/record/registration-record.js';

const MAX_STATUSES = 40;
const RULE = /^[a-z0-9][a-z0-9._-]{0,99}$/i;
const STATUS = /^[\x20-\x7e]{1,100}$/;
/** The first domain was registered in 1985. An earlier date shows that seconds were taken for milliseconds. */
const [FIRST_YEAR, LAST_YEAR] = [1985, 2200];
const MAX_RETRY_AFTER_SECONDS = DAY / SECOND;

type Fields = Readonly<Record<string, unknown>>;

/** The error for an answer of an extension's source that lacks the promised shape. */
export class MalformedAnswerError extends Error {}

/** @throws MalformedAnswerError naming the first invalid part */
export function validateAnswer(
  answer: unknown,
  source: string,
  toServer: (server: SourceServer) => RegistryServer,
): SourceAnswer<RegistryServer> {
  const { kind, rule, excerpt, httpStatus, facts, record, code, retryAfterSeconds, server } = asFields(answer);
  const common = {
    rule: validateRule(rule, source),
    excerpt: validateExcerpt(excerpt),
    httpStatus: validateNumber(httpStatus, 'httpStatus', 100, 599),
  };
  switch (kind) {
    case 'facts':
      return withRecord({ kind, facts: validateFacts(asFields(facts)), ...common }, record);
    case 'failure': {
      const seconds = validateNumber(retryAfterSeconds, 'retryAfterSeconds', 0, Infinity);
      const wait = seconds ? Math.ceil(Math.min(seconds, MAX_RETRY_AFTER_SECONDS)) : null;
      return { kind, code: validateCode(code), retryAfterSeconds: wait, ...common };
    }
    case 'referral': {
      const problem = findServerProblem(server);
      if (problem !== null) throw new MalformedAnswerError(`server: ${problem}`);
      return { kind, server: toServer(server as SourceServer), ...common };
    }
    default:
      throw new MalformedAnswerError('kind is not facts, failure or referral');
  }
}

function withRecord<Answer extends { readonly facts: RegistrationFacts }>(answer: Answer, record: unknown): Answer {
  const hasRecord = answer.facts.outcome === 'found' && record !== undefined && record !== null;
  return hasRecord ? { ...answer, record: validateRecord(record) } : answer;
}

/** Checks the facts of an extension. Returns new facts that have only the members which belong to the outcome. */
function validateFacts({ outcome, statuses, registeredAt, expiresAt, ...rest }: Fields): RegistrationFacts {
  const record = {
    statuses: validateStatuses(statuses),
    registeredAt: validateDate('registeredAt', registeredAt),
    expiresAt: validateDate('expiresAt', expiresAt),
  };
  if (outcome === 'found') return validateFound(record, rest);
  const hasRecord = record.statuses.length > 0 || record.registeredAt !== null || record.expiresAt !== null;
  if (hasRecord) throw new MalformedAnswerError('facts: a name that is not found has no statuses and no dates');
  const { registrable, release, quarantine } = rest;
  if (outcome === 'absent') return validateAbsence(registrable, quarantine ?? release);
  if (outcome !== 'reserved') throw new MalformedAnswerError('facts.outcome is not found, absent or reserved');
  if (release === undefined) return reserved;
  const period = typeof release === 'string' ? getReleasePeriod(release as ReleasePeriod['id']) : null;
  if (!period) throw new MalformedAnswerError('facts.release is no known period');
  return inReleasePeriod(period.id);
}

function validateFound(
  record: Pick<RegistrationFacts, 'statuses' | 'registeredAt' | 'expiresAt'>,
  { publishesExpiry, quarantine = null }: Fields,
): RegistrationFacts {
  if (publishesExpiry !== undefined && publishesExpiry !== null && typeof publishesExpiry !== 'boolean')
    throw new MalformedAnswerError('facts.publishesExpiry is not true, false or null');
  if (quarantine !== null && quarantine !== 'redemption' && quarantine !== 'pending_delete')
    throw new MalformedAnswerError('facts.quarantine is not redemption, pending_delete or null');
  return found({ ...record, publishesExpiry: publishesExpiry ?? null, quarantine });
}

function validateAbsence(registrable: unknown, deletion: unknown): RegistrationFacts {
  if (deletion !== undefined && deletion !== null)
    throw new MalformedAnswerError('facts: a name that is being deleted is not absent');
  if (registrable === 'yes') return absent;
  if (registrable === 'premium') return premium;
  throw new MalformedAnswerError('facts.registrable of an absent name is not yes or premium');
}

function validateStatuses(statuses: unknown): string[] {
  const isValid = (status: unknown) => typeof status === 'string' && STATUS.test(status);
  if (!Array.isArray(statuses) || statuses.length > MAX_STATUSES || !statuses.every(isValid))
    throw new MalformedAnswerError('facts.statuses is not a list of EPP statuses');
  return (statuses as string[]).map(normalizeEppStatus);
}

function validateDate(key: string, date: unknown): Date | null {
  if (date === undefined || date === null) return null;
  const copy = isDate(date) ? new Date(date.getTime()) : new Date(NaN);
  const year = copy.getUTCFullYear();
  if (year >= FIRST_YEAR && year <= LAST_YEAR) return copy;
  throw new MalformedAnswerError(`facts.${key} is not a date between ${FIRST_YEAR} and ${LAST_YEAR}`);
}

function validateRule(rule: unknown, source: string): string {
  if (typeof rule !== 'string' || !RULE.test(rule))
    throw new MalformedAnswerError('rule is not letters, digits, ".", "_" and "-"');
  return rule.startsWith(`${source}.`) ? rule : `${source}.${rule}`;
}

/** Cuts the text before making it printable, because a source may send a text of any length. */
function validateExcerpt(excerpt: unknown): string {
  if (typeof excerpt !== 'string') throw new MalformedAnswerError('excerpt is not a text');
  return toPrintable(excerpt.slice(0, MAX_EXCERPT_LENGTH));
}

function validateNumber(value: unknown, key: string, min: number, max: number): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && value >= min && value <= max) return value;
  throw new MalformedAnswerError(`${key} is not a number from ${min} on, or null`);
}

function validateCode(code: unknown): LookupErrorCode {
  const known = LOOKUP_ERROR_CODES.find((each) => each === code);
  if (!known) throw new MalformedAnswerError(`code is not one of ${LOOKUP_ERROR_CODES.join(', ')}`);
  return known;
}

function asFields(value: unknown): Fields {
  return Object(value) as Fields;
}

/**
 * An invalid member counts as unknown, not as a failure, because the record never decides whether a name is available.
 */
function validateRecord(record: unknown): RegistrationRecord {
  const { nameservers, registrar, statuses, ds, lastTransferAt } = asFields(record);
  const { name, ianaId } = asFields(registrar);
  return toRegistrationRecord({
    nameservers: asList(nameservers, asText),
    registrar: { name: asText(name), ianaId: asText(ianaId) },
    statuses: asList(statuses, asText),
    ds: asList(ds, asDsRecord),
    lastTransferAt: isDate(lastTransferAt) && !Number.isNaN(lastTransferAt.getTime()) ? new Date(lastTransferAt) : null,
  });
}

function asList<T>(value: unknown, toItem: (item: unknown) => T | null): readonly T[] | null {
  if (!Array.isArray(value) || value.length > MAX_RECORD_ITEMS) return null;
  const items = value.map(toItem);
  return items.every((item) => item !== null) ? items : null;
}

function asText(value: unknown): string | null {
  return typeof value === 'string' ? toPrintable(value.slice(0, MAX_TEXT_LENGTH)) : null;
}

/** The longest text in a record, in characters. Longer texts are cut. */
const MAX_TEXT_LENGTH = 1_000;

function asDsRecord(value: unknown): DsRecord | null {
  const { keyTag, algorithm, digestType, digest } = asFields(value);
  if (typeof digest !== 'string') return null;
  return { keyTag: asNumber(keyTag), algorithm: asNumber(algorithm), digestType: asNumber(digestType), digest };
}

function asNumber(value: unknown): number {
  return typeof value === 'number' ? value : NaN;
}

/** The largest number of servers of a source. There are some 1,500 TLDs. */
const MAX_SERVERS = 5_000;
const TLD = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const HOST = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i;

export interface ValidatedServers {
  readonly servers: ReadonlyMap<string, SourceServer>;
  /** The reason for each server that was left out. */
  readonly problems: readonly string[];
}

export function validateServers(given: Iterable<readonly [string, SourceServer]>): ValidatedServers {
  const servers = new Map<string, SourceServer>();
  const problems: string[] = [];
  for (const [tld, server] of given) {
    if (servers.size + problems.length >= MAX_SERVERS) {
      problems.push(`more than ${MAX_SERVERS}`);
      break;
    }
    const problem = TLD.test(tld) ? findServerProblem(server) : 'no TLD in lower case, without its dot';
    if (problem === null) servers.set(tld, { host: server.host.toLowerCase(), port: server.port });
    else problems.push(`${JSON.stringify(tld)}: ${problem}`);
  }
  return { servers, problems };
}

function findServerProblem(server: unknown): string | null {
  const { host, port } = Object(server) as Readonly<Record<string, unknown>>;
  if (typeof host !== 'string' || !(HOST.test(host) || isIP(host.replace(/^\[|\]$/g, ''))))
    return 'its host is no host name';
  return Number.isInteger(port) && Number(port) > 0 && Number(port) < 65_536 ? null : 'its port is not 1 to 65535';
}
