import type { EvidenceSource, LookupResult, Observation } from './lookup-result.js';
import type { AdmissionRequest } from '../operators/admission.js';
import type { DomainName } from '../name/domain-name.js';

export interface TimedLookupResult {
  readonly result: LookupResult;
  /** The part of the timeout that is left; waiting for admission does not count. */
  readonly remainingMs: number;
}

/** An absence that the registry is asked about again. */
export interface FirstAnswer {
  readonly absence: Observation;
  /** performance.now() time */
  readonly answeredAt: number;
}

/** A question to one source, whose time begins when it is sent. */
export interface SourceQuestion {
  readonly timeoutMs: number;
  readonly admission: AdmissionRequest;
  readonly onSent: () => void;
}

/** Queries the registry that is authoritative for the name. Expected failures are data; it throws on bugs only. */
export abstract class RegistryLookup {
  /** @param timeoutMs for all protocols and redirects together, from admission on; then `registry_timeout` */
  abstract lookUp(name: DomainName, timeoutMs: number, admission?: AdmissionRequest): Promise<TimedLookupResult>;

  /**
   * Asks the registry again: by its other protocol if it has one, else on a new connection at least a second after its
   * first answer.
   * @param timeoutMs what is left of the lookup; waiting for admission counts
   */
  abstract lookUpAgain(name: DomainName, first: FirstAnswer, timeoutMs: number): Promise<LookupResult>;

  /** Asks one source about another name of the same zone. */
  abstract askAbout(name: DomainName, source: EvidenceSource, question: SourceQuestion): Promise<LookupResult>;
}
