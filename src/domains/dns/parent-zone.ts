import type { DomainName } from '../domain/name/domain-name.js';
import type { ParentZoneAnswer } from '../domain/record/parent-zone.js';

/** Reads what the zone above a name publishes about it, from that zone's own servers. */
export abstract class ParentZone {
  /**
   * Name servers and DS records. Without an answer in time they are null; it throws on bugs only.
   * @returns null when DNS checks are turned off
   */
  abstract read(name: DomainName, timeoutMs: number): Promise<ParentZoneAnswer | null>;
}
