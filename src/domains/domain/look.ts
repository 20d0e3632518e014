import type { Asking } from './budget.js';
import type { DomainName } from './domain-name.js';
import type { RegistrationFacts } from './registration.js';

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
export const LOOK_FAILURE_CODES = [
  'registry_unreachable',
  'registry_answer_unusable',
  'registry_throttled',
  'registry_timeout',
  'tld_unsupported',
] as const;
export type LookFailureCode = (typeof LOOK_FAILURE_CODES)[number];

/** The registry's answer, whole and valid. */
export interface Proof {
  readonly kind: 'proof';
  readonly facts: RegistrationFacts;
  readonly source: EvidenceSource;
  readonly observedAt: Date;
  readonly evidence: readonly Evidence[];
  /** How many independent protocols said so; from two on, one look settles even an absence. */
  readonly witnesses: number;
  /** Look again at the latest after this many milliseconds, whatever the interval (sandbox cycles); null: no wish. */
  readonly lookAgainWithin: number | null;
  /** What DNS said to an absence; missing when it was not asked. A delegation makes a {@link LookFailure} instead. */
  readonly delegation?: Exclude<Delegation, 'delegated'>;
}

/** Nothing usable was said. Never a status. */
export interface LookFailure {
  readonly kind: 'failure';
  readonly code: LookFailureCode;
  /** The server that was asked, as `host` or `host:port`. */
  readonly registry: string;
  readonly retryAfterSeconds: number | null;
  readonly observedAt: Date;
  readonly evidence: readonly Evidence[];
  /**
   * The registry was not asked: its budget is spent for now, it wants to be left alone, or its breaker is open. Nothing
   * is known about how it would have answered.
   */
  readonly withheld?: 'budget' | 'block' | 'breaker';
  /** The absence that a witness vetoed. The registry answered, so nothing is wrong with asking it. */
  readonly vetoed?: Proof;
}

/** What came of asking about a name: a proof, or a failure. There is nothing in between. */
export type Look = Proof | LookFailure;

/** Asks whoever is authoritative for the name, live. Expected failures are data; it throws on bugs only. */
export abstract class RegistryLookup {
  /**
   * @param deadline milliseconds that all protocols and hops together may take, once it has its turn; then
   *   `registry_timeout`
   * @param asking how long it may wait for its turn, and before whom; as a person's check unless given
   */
  abstract look(name: DomainName, deadline: number, asking?: Asking): Promise<Look>;
}
