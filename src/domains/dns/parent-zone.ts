import type { DomainName } from '../domain/name/domain-name.js';
import type { ParentZoneAnswer } from '../domain/record/record-values.js';
import type { Evidence } from '../domain/lookup/lookup-result.js';

/** Reads what the zone above a name publishes about it, from that zone's own servers. */
export abstract class ParentZone {
  /**
   * Name servers and DS records. Without an answer in time they are null; it throws on bugs only.
   * @returns null when DNS checks are turned off
   */
  abstract read(name: DomainName, timeoutMs: number): Promise<ParentZoneAnswer | null>;
}

/** What the zone above a name says of it. */
export interface ZoneAnswer {
  readonly says: 'denies' | 'has_it' | 'silent';
  readonly evidence: Evidence;
  /** Silent only because the timeout left too little time for the query. */
  readonly ranOutOfTime?: boolean;
}

/** Asks the zone above a name whether it has it. Expected failures are `silent`; it throws on bugs only. */
export abstract class ZoneWitness extends ParentZone {
  /** @returns null when DNS checks are turned off */
  abstract ask(name: DomainName, timeoutMs: number): Promise<ZoneAnswer | null>;
}
