import type { DelegationResult } from '../domain/lookup/dns-veto.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { ParentZone } from './parent-zone.js';

/** Checks whether the parent zone delegates a name. Expected failures are `inconclusive`; it throws on bugs only. */
export abstract class DelegationChecker extends ParentZone {
  /** @returns null when DNS checks are turned off */
  abstract check(name: DomainName, timeoutMs: number): Promise<DelegationResult | null>;
}
