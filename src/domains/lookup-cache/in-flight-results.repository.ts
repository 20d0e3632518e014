import { setTimeout as delay } from 'node:timers/promises';
import { SECOND } from '../../kernel/clock.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import type { LookupResult } from '../domain/lookup/lookup-result.js';
import { MAX_LOOKUP_MS } from './lookup-coordinator.js';
import { parseFailure, parseObservation } from './lookup-serialization.js';
import { SELECT_IN_FLIGHT } from './lookup-coordination.sql.js';

interface InFlightRow {
  readonly domain: string;
  readonly leaseId: string | null;
  readonly isInFlight: boolean | null;
  readonly publishedLeaseId: string | null;
  readonly failure: string | null;
  readonly facts: string | null;
  readonly observation: string | null;
}
interface PendingWait {
  readonly leaseId: string;
  /** performance.now() time after which the lookup counts as lost, whatever the table says */
  readonly deadline: number;
  readonly resolve: (result: LookupResult | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Short beside a registry's response time of tens of milliseconds. */
const POLL_INTERVAL_MS = 25;

/**
 * Waits for the results of lookups in other processes: polls for all of them with one statement, and stops when none
 * is awaited.
 */
export class InFlightResultPoller {
  private readonly waits = new Map<string, PendingWait>();
  private isPolling = false;

  constructor(private readonly statements: SqlClient) {}

  /** Call once per name at a time. Resolves to null when the other process lost its lease. */
  awaitResult(domain: string, leaseId: string): Promise<LookupResult | null> {
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + MAX_LOOKUP_MS + SECOND;
      this.waits.set(domain, { leaseId, deadline, resolve, reject });
      if (!this.isPolling) void this.poll();
    });
  }

  private async poll(): Promise<void> {
    this.isPolling = true;
    try {
      while (this.waits.size > 0) {
        await delay(POLL_INTERVAL_MS);
        await this.pollOnce();
      }
    } catch (error) {
      for (const { reject } of this.waits.values()) reject(error);
      this.waits.clear();
    } finally {
      this.isPolling = false;
    }
  }

  private async pollOnce(): Promise<void> {
    const polled = [...this.waits]; // waits added during the statement are not in its result
    const rows = await this.statements.run<InFlightRow>(SELECT_IN_FLIGHT, [polled.map(([domain]) => domain)]);
    const rowByDomain = new Map(rows.map((row) => [row.domain, row]));
    for (const [domain, { leaseId, deadline, resolve }] of polled) {
      const result = performance.now() > deadline ? null : resultIn(rowByDomain.get(domain), leaseId);
      if (result === 'under_way') continue;
      this.waits.delete(domain);
      resolve(result);
    }
  }
}

/** The result of a later lookup is accepted too: it is fresher. */
function resultIn(row: InFlightRow | undefined, leaseId: string): LookupResult | null | 'under_way' {
  if (row?.publishedLeaseId && BigInt(row.publishedLeaseId) >= BigInt(leaseId)) {
    const { failure, facts, observation } = row;
    if (failure !== null) return parseFailure(failure);
    return facts !== null && observation !== null ? parseObservation({ facts, observation }) : null;
  }
  return row?.isInFlight && row.leaseId === leaseId ? 'under_way' : null;
}
