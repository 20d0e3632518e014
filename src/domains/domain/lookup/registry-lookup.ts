import type { EvidenceSource, LookupResult, Observation } from './lookup-result.js';
import type { AdmissionRequest } from '../operators.js';
import type { DomainName } from '../name/domain-name.js';

export interface TimedLookupResult {
  readonly result: LookupResult;
  /** How much of `timeoutMs` is left after the lookup. */
  readonly remainingMs: number;
}

/** The registry's first answer "no record", which a second query has to confirm. */
export interface FirstAnswer {
  readonly absence: Observation;
  /** When the registry gave the first answer, as a time of `performance.now()`. */
  readonly answeredAt: number;
}

/** A question to one source. The timeout starts when the question is sent. */
export interface SourceQuestion {
  readonly timeoutMs: number;
  readonly admission: AdmissionRequest;
  readonly onSent: () => void;
}

/** Queries the authoritative registry of a name. Expected failures are returned; throws only on bugs. */
export abstract class RegistryLookup {
  /**
   * @param timeoutMs the time limit of all queries together, which starts when the rate limit admits the first query
   */
  abstract lookUp(name: DomainName, timeoutMs: number, admission: AdmissionRequest): Promise<TimedLookupResult>;

  /**
   * Asks by the registry's other protocol, or else on a new connection at least a second after the first answer.
   * @param timeoutMs the rest of the lookup's time, which includes the wait for the rate limit
   */
  abstract lookUpAgain(name: DomainName, first: FirstAnswer, timeoutMs: number): Promise<LookupResult>;

  /** Asks only the given source, for instance about a name that must exist (a canary). */
  abstract askAbout(name: DomainName, source: EvidenceSource, question: SourceQuestion): Promise<LookupResult>;
}
