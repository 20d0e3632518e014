import type { DomainName } from '../domain/name/domain-name.js';
import type { ParentZoneAnswer } from '../domain/record/record-values.js';
import type { Evidence } from '../domain/lookup/lookup-result.js';

/** The answer of the zone above a name. `silent` means that no usable answer came. */
export interface ZoneAnswer {
  readonly says: 'denies' | 'has_it' | 'silent';
  readonly evidence: Evidence;
  /** Whether the zone is silent only because too little time was left for the query. */
  readonly ranOutOfTime?: boolean;
}

/** Asks the servers of the zone above a name. Returns null if DNS checks are off. Throws only on bugs. */
export abstract class ZoneWitness {
  abstract ask(name: DomainName, timeoutMs: number): Promise<ZoneAnswer | null>;

  /** Returns the name servers and DS records that the zone publishes; null without an answer in time. */
  abstract read(name: DomainName, timeoutMs: number): Promise<ParentZoneAnswer | null>;
}
