import { Logger } from '@nestjs/common';
import { SECOND } from '../../../kernel/clock.js';
import type { SqlClient } from '../../../platform/database/sql-client.js';
import { LOOKUP_LEASE_MS, MAX_LOOKUP_MS } from '../../application/ports/lookup-coordinator.js';
import { RENEW_LEASES } from './lookup-coordination.sql.js';

interface TrackedLease {
  readonly domain: string;
  /** By the monotonic timer. */
  readonly begun: number;
}

/** Most flights are over by then, and cost no statement. */
const RENEW_AFTER_MS = SECOND;

/** The flights of this process: while it lives it says so, for all that are long, with one statement. */
export class LookupLeaseRenewer {
  private readonly log = new Logger(LookupLeaseRenewer.name);
  private readonly flights = new Map<string, TrackedLease>();
  private renewing: Promise<void> | null = null;

  constructor(private readonly statements: SqlClient) {}

  begin(domain: string, flight: string): void {
    this.flights.set(flight, { domain, begun: performance.now() });
  }

  end(flight: string): void {
    this.flights.delete(flight);
  }

  /** Never rejects, and never runs twice at once. */
  renew(): Promise<void> {
    this.renewing ??= this.renewLong().finally(() => (this.renewing = null));
    return this.renewing;
  }

  private async renewLong(): Promise<void> {
    const now = performance.now();
    const long = [...this.flights].filter(
      ([, { begun }]) => now - begun >= RENEW_AFTER_MS && now - begun < MAX_LOOKUP_MS,
    );
    if (long.length === 0) return;
    const domains = long.map(([, { domain }]) => domain);
    try {
      await this.statements.run(RENEW_LEASES, [domains, long.map(([flight]) => flight), LOOKUP_LEASE_MS / SECOND]);
    } catch (error) {
      this.log.warn(`others may take our looks for lost: ${(error as Error).message}`);
    }
  }
}
