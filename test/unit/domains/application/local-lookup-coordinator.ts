import {
  type LookupClaim,
  LookupCoordinator,
  type Changes,
} from '../../../../src/domains/application/ports/lookup-coordinator.js';

/** A coordinator of one process: every lookup is its own leader. */
export class LocalLookupCoordinator extends LookupCoordinator {
  acquireOrJoin(): Promise<LookupClaim> {
    return Promise.resolve({ kind: 'acquired', leaseId: '0' });
  }

  awaitResult(): Promise<null> {
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

  findRegistered(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }
}
