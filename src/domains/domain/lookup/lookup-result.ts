import type { RegistrationFacts } from '../lifecycle/registration-facts.js';
import type { RegistrationRecord } from '../record/registration-record.js';

/** The built-in sources of evidence. */
export const EVIDENCE_SOURCES = ['rdap', 'whois', 'dns', 'sandbox'] as const;
/** The built-in sources that answer for a registry. DNS only confirms or contradicts their answers. */
export const REGISTRY_SOURCES = ['rdap', 'whois', 'sandbox'] as const;
/** A built-in source, or the name of a source that an extension adds. */
export type EvidenceSource = (typeof EVIDENCE_SOURCES)[number] | (string & Record<never, never>);

export const OUTCOMES = ['found', 'absent', 'reserved', 'inconclusive'] as const;

/** One server's statement and the rule that interpreted it. Never contains a registrant's contacts. */
export interface Evidence {
  readonly source: EvidenceSource;
  readonly server: string;
  readonly outcome: (typeof OUTCOMES)[number];
  /** The id of the rule that matched, for instance `rdap.404`. */
  readonly rule: string;
  readonly httpStatus: number | null;
  readonly observedAt: Date;
  /** At most `MAX_EXCERPT_LENGTH` characters. */
  readonly excerpt: string;
}

export const MAX_EXCERPT_LENGTH = 500;

/** Why an absence (the registry has no record of the name) is not believed. */
export type AbsenceDoubt =
  /** The parent zone has the name, or had it when it last answered. */
  | 'in_zone'
  /** The registry had a record when it was asked a second time. */
  | 'second_answer'
  /** The registry also has no record of names that must exist. */
  | 'canary_missing';

/** The reasons why a lookup gives no status. These are also error codes of the API. */
export const LOOKUP_ERROR_CODES = [
  'registry_unreachable',
  'registry_answer_unusable',
  'registry_throttled',
  'registry_timeout',
  'tld_unsupported',
] as const;
export type LookupErrorCode = (typeof LOOKUP_ERROR_CODES)[number];

/** A complete and valid answer of the registry. */
export interface Observation {
  readonly kind: 'observation';
  readonly facts: RegistrationFacts;
  /** Details of a registered name, such as name servers; missing if the source gives none. */
  readonly record?: RegistrationRecord;
  readonly source: EvidenceSource;
  readonly observedAt: Date;
  readonly evidence: readonly Evidence[];
  /**
   * How many protocols gave this answer: 1, or 2 in the sandbox, which simulates two. With 2, a watch needs no second
   * lookup.
   */
  readonly witnesses: number;
  /** The longest time until the next lookup. Only the sandbox sets a limit. */
  readonly recheckWithinMs: number | null;
  /** The public DNS lacks the name's zone, so no name server is asked. */
  readonly isPrivateZone?: true;
  /** The evidence about a "no record" answer, if any. */
  readonly testimony?: Testimony;
}

/** The evidence that a lookup has collected about an absence (the registry has no record of the name). */
export interface Testimony {
  /**
   * The parent zone's answer; null before the query.
   * - `denies`: the name does not exist.
   * - `has_it`: the zone has a record of the name.
   * - `silent`: no usable answer came.
   * - `off`: the settings forbid the query.
   * - `private`: the public DNS lacks the zone.
   */
  readonly zone: 'denies' | 'has_it' | 'silent' | 'off' | 'private' | null;
  /** Whether the zone had the name within 24 hours and has not denied the name since. */
  readonly zoneHadIt: boolean;
  /**
   * Whether the source still finds a canary, a name that must exist; null before the query.
   * - `found_since`: yes, after it had no record of the queried name.
   * - `found_recently`: yes, in the ten minutes before.
   * - `missing`: it found none of up to two canaries.
   * - `unproven`: no canary is known.
   */
  readonly canary: 'found_since' | 'found_recently' | 'missing' | 'unproven' | null;
  /** The registry's answer to a second query; null without a second query. */
  readonly secondAnswer: 'no_record' | 'record' | null;
  /** Whether the name was registered until now: a stored record says so, or a watch is confirming a deletion. */
  readonly isChange: boolean;
  /** Whether a watch found no record in two lookups, far enough apart and without a doubt between them. */
  readonly hasLasted: boolean;
}

/** The sandbox's testimony. No witness is asked, because no name below `.test` is real. */
export const SIMULATED_TESTIMONY: Testimony = {
  zone: 'denies',
  zoneHadIt: false,
  canary: 'found_since',
  secondAnswer: null,
  isChange: false,
  hasLasted: false,
};

/** A lookup that got no usable answer. A failure never becomes a status. */
export interface LookupFailure {
  readonly kind: 'failure';
  readonly code: LookupErrorCode;
  /** The queried server, as `host` or `host:port`. */
  readonly registry: string;
  readonly retryAfterSeconds: number | null;
  readonly observedAt: Date;
  readonly evidence: readonly Evidence[];
  /** Why no query was sent: rate limit used up, Retry-After not over, or circuit breaker open. */
  readonly notSent?: 'budget' | 'block' | 'breaker';
  /** Why an absence is not believed. Stored answers about the name then no longer count. */
  readonly doubt?: AbsenceDoubt;
  /** The registry's answer "no record", if it is not believed. */
  readonly doubted?: Observation;
  /** When the parent zone answered in this lookup that the zone has the name. */
  readonly inZoneAt?: Date;
}

export type LookupResult = Observation | LookupFailure;

export function failedLookup(
  code: LookupErrorCode,
  registry: string,
  observedAt: Date,
  evidence: readonly Evidence[] = [],
): LookupFailure {
  return { kind: 'failure', code, registry, retryAfterSeconds: null, observedAt, evidence };
}

/** Details that only the sandbox adds to its answers. */
export type Simulation = Pick<Observation, 'witnesses' | 'recheckWithinMs' | 'testimony'>;

/** The meaning of one registry response, and the id of the rule that decided. */
export type ParsedResponse = { readonly rule: string; readonly excerpt: string } & (
  | {
      readonly kind: 'facts';
      readonly facts: RegistrationFacts;
      readonly record?: RegistrationRecord;
      readonly simulated?: Simulation;
    }
  | { readonly kind: 'failure'; readonly code: LookupErrorCode; readonly retryAfterSeconds: number | null }
);

export interface ResponseOrigin {
  readonly source: EvidenceSource;
  /** `host` or `host:port`. */
  readonly server: string;
  readonly httpStatus: number | null;
  readonly observedAt: Date;
  readonly isPrivateZone?: boolean;
}

export function toLookupResult(
  parsed: ParsedResponse,
  { source, server, httpStatus, observedAt, isPrivateZone = false }: ResponseOrigin,
): LookupResult {
  const { rule, excerpt } = parsed;
  const outcome = parsed.kind === 'facts' ? parsed.facts.outcome : 'inconclusive';
  const evidence: Evidence[] = [{ source, server, outcome, rule, httpStatus, observedAt, excerpt }];
  if (parsed.kind === 'failure') {
    const { code, retryAfterSeconds } = parsed;
    return { kind: 'failure', code, registry: server, retryAfterSeconds, observedAt, evidence };
  }
  const { facts, record } = parsed;
  const records = record && { record };
  const { witnesses, recheckWithinMs, testimony } = parsed.simulated ?? { witnesses: 1, recheckWithinMs: null };
  const observation = { kind: 'observation', facts, ...records, source, observedAt, evidence } as const;
  const said = { ...(isPrivateZone && { isPrivateZone }), ...(testimony && { testimony }) };
  return { ...observation, witnesses, recheckWithinMs, ...said };
}
