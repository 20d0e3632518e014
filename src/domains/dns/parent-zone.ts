import type { DomainName } from '../domain/name/domain-name.js';
import type { ParentZoneAnswer } from '../domain/record/record-values.js';
import type { DelegationResult } from '../domain/lookup/availability.js';

/** Reads what the zone above a name publishes about it, from that zone's own servers. */
export abstract class ParentZone {
  /**
   * Name servers and DS records. Without an answer in time they are null; it throws on bugs only.
   * @returns null when DNS checks are turned off
   */
  abstract read(name: DomainName, timeoutMs: number): Promise<ParentZoneAnswer | null>;
}

/** Checks whether the parent zone delegates a name. Expected failures are `inconclusive`; it throws on bugs only. */
export abstract class DelegationChecker extends ParentZone {
  /** @returns null when DNS checks are turned off */
  abstract check(name: DomainName, timeoutMs: number): Promise<DelegationResult | null>;
}
