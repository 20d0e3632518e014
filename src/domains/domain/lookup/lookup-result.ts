import type { RegistrationFacts } from '../lifecycle/registration-facts.js';

export const EVIDENCE_SOURCES = ['rdap', 'whois', 'dns', 'sandbox'] as const;
export type EvidenceSource = (typeof EVIDENCE_SOURCES)[number];

/** One thing that one server said, and the rule by which it was read. Never holds a registrant's contacts. */
export interface Evidence {
  readonly source: EvidenceSource;
  readonly server: string;
  readonly outcome: 'found' | 'absent' | 'reserved' | 'inconclusive';
  /** The id of the rule that matched, for instance `rdap.404`. */
  readonly rule: string;
  readonly httpStatus: number | null;
  readonly observedAt: Date;
  /** At most 500 characters. */
  readonly excerpt: string;
}

/** What the parent zone says in DNS. `inconclusive`: it was not heard, or says the same of every name. */
export type Delegation = 'delegated' | 'not_delegated' | 'inconclusive';

/** Why no status could be made. The codes are the API's. */
export const LOOKUP_ERROR_CODES = [
  'registry_unreachable',
  'registry_answer_unusable',
  'registry_throttled',
  'registry_timeout',
  'tld_unsupported',
] as const;
export type LookupErrorCode = (typeof LOOKUP_ERROR_CODES)[number];

/** The registry's answer, whole and valid. */
export interface Observation {
  readonly kind: 'observation';
  readonly facts: RegistrationFacts;
  readonly source: EvidenceSource;
  readonly observedAt: Date;
  readonly evidence: readonly Evidence[];
  /** How many independent protocols said so; from two on, one look settles even an absence. */
  readonly witnesses: number;
  /** Look again at the latest after this many milliseconds, whatever the interval (sandbox cycles); null: no wish. */
  readonly recheckWithinMs: number | null;
  /** What DNS said to an absence; missing when it was not asked. A delegation makes a {@link LookupFailure} instead. */
  readonly delegation?: Exclude<Delegation, 'delegated'>;
}

/** Nothing usable was said. Never a status. */
export interface LookupFailure {
  readonly kind: 'failure';
  readonly code: LookupErrorCode;
  /** The server that was asked, as `host` or `host:port`. */
  readonly registry: string;
  readonly retryAfterSeconds: number | null;
  readonly observedAt: Date;
  readonly evidence: readonly Evidence[];
  /**
   * The registry was not asked: its budget is spent for now, it wants to be left alone, or its breaker is open. Nothing
   * is known about how it would have answered.
   */
  readonly notSent?: 'budget' | 'block' | 'breaker';
  /** The absence that a witness vetoed. The registry answered, so nothing is wrong with asking it. */
  readonly dnsVetoed?: Observation;
}

/** What came of asking about a name: a proof, or a failure. There is nothing in between. */
export type LookupResult = Observation | LookupFailure;
