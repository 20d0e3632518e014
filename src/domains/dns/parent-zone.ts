import type { DomainName } from '../domain/name/domain-name.js';
import type { ParentZoneAnswer } from '../domain/record/record-values.js';
import type { Evidence } from '../domain/lookup/lookup-result.js';

/** The answer of the zone above a name. */
export interface ZoneAnswer {
  readonly says: 'denies' | 'has_it' | 'silent';
  readonly evidence: Evidence;
  /** Silent only because the timeout left too little time for the query. */
  readonly ranOutOfTime?: boolean;
}

/** Asks the zone above a name, by that zone's own servers. It answers null when DNS is not asked, and throws on bugs only. */
export abstract class ZoneWitness {
  /** Whether it has the name; `silent` without an answer. */
  abstract ask(name: DomainName, timeoutMs: number): Promise<ZoneAnswer | null>;

  /** The name servers and DS records that it publishes; null each without an answer in time. */
  abstract read(name: DomainName, timeoutMs: number): Promise<ParentZoneAnswer | null>;
}
