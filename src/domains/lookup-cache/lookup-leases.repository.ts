import { SECOND } from '../../kernel/clock.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import { LOOKUP_LEASE_MS, MAX_LOOKUP_MS } from './lookup-coordinator.js';
import { RENEW_LEASES } from './lookup-coordination.sql.js';

interface TrackedLease {
  readonly domain: string;
  /** performance.now() time */
  readonly startedAt: number;
}

/** Most lookups are over by then and need no renewal. */
const RENEW_AFTER_MS = SECOND;

/** Renews the leases of this process's long lookups, all with one statement. */
export class LookupLeaseRenewer {
  private readonly leases = new Map<string, TrackedLease>();

  constructor(private readonly statements: SqlClient) {}

  track(domain: string, leaseId: string): void {
    this.leases.set(leaseId, { domain, startedAt: performance.now() });
  }

  untrack(leaseId: string): void {
    this.leases.delete(leaseId);
  }

  async renew(): Promise<void> {
    const now = performance.now();
    const due = [...this.leases].filter(
      ([, { startedAt }]) => now - startedAt >= RENEW_AFTER_MS && now - startedAt < MAX_LOOKUP_MS,
    );
    if (due.length === 0) return;
    const domains = due.map(([, { domain }]) => domain);
    await this.statements.run(RENEW_LEASES, [domains, due.map(([leaseId]) => leaseId), LOOKUP_LEASE_MS / SECOND]);
  }
}
