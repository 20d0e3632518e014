import {
  type LookupClaim,
  LookupCoordinator,
  type Changes,
} from '../../../../src/domains/lookup-cache/lookup-coordinator.js';
import type { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import type { LookupResult } from '../../../../src/domains/domain/lookup/lookup-result.js';

/** A coordinator of one process: every lookup is its own leader. */
export class LocalLookupCoordinator extends LookupCoordinator {
  acquireOrJoin(_name: DomainName, _notBefore: Date | null): Promise<LookupClaim> {
    return Promise.resolve({ kind: 'acquired', leaseId: '0' });
  }

  awaitResult(): Promise<LookupResult | null> {
    return Promise.resolve(null);
  }

  publish(): Promise<void> {
    return Promise.resolve();
  }

  release(): Promise<void> {
    return Promise.resolve();
  }

  findChanges(): Promise<Changes> {
    return Promise.resolve({ names: [], settledUntil: new Date() });
  }

  wasDelegated(): Promise<boolean> {
    return Promise.resolve(false);
  }

  findRegistered(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }
}
