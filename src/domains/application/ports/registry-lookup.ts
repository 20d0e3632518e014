import type { DomainName } from '../../domain/name/domain-name.js';
import type { AdmissionRequest } from '../../domain/lookup/operator-budget.js';
import type { LookupResult } from '../../domain/lookup/lookup-result.js';

/** Asks whoever is authoritative for the name, live. Expected failures are data; it throws on bugs only. */
export abstract class RegistryLookup {
  /**
   * @param timeoutMs milliseconds that all protocols and hops together may take, once it has its turn; then
   *   `registry_timeout`
   * @param admission how long it may wait for its turn, and before whom; as a person's check unless given
   */
  abstract lookUp(name: DomainName, timeoutMs: number, admission?: AdmissionRequest): Promise<LookupResult>;
}
