import { setTimeout as delay } from 'node:timers/promises';
import { SECOND } from '../../../kernel/clock.js';
import type { SqlClient } from '../../../platform/database/sql-client.js';
import type { LookupResult } from '../../domain/lookup/lookup-result.js';
import { MAX_LOOKUP_MS } from '../../application/ports/lookup-coordinator.js';
import { parseFailure, parseObservation } from './lookup-serialization.js';
import { SELECT_IN_FLIGHT } from './lookup-coordination.sql.js';

interface InFlightRow {
  readonly domain: string;
  readonly flight: string | null;
  readonly flying: boolean | null;
  readonly landed: string | null;
  readonly failure: string | null;
  readonly facts: string | null;
  readonly proof: string | null;
}
interface PendingWait {
  readonly flight: string;
  /** By the monotonic timer; then it is lost whatever the table says. */
  readonly until: number;
  readonly resolve: (look: LookupResult | null) => void;
  readonly reject: (error: unknown) => void;
}

/** A registry takes tens of milliseconds to answer; nobody notices this much more. */
const POLL_INTERVAL_MS = 25;

/** Waits for the flights of other processes, all of them with one statement at a time, and none while nobody waits. */
export class InFlightResultPoller {
  private readonly awaited = new Map<string, PendingWait>();
  private isLooking = false;

  constructor(private readonly statements: SqlClient) {}

  /** Each name is waited for once at a time. Null: the flight was lost. */
  of(domain: string, flight: string): Promise<LookupResult | null> {
    return new Promise((resolve, reject) => {
      const until = performance.now() + MAX_LOOKUP_MS + SECOND;
      this.awaited.set(domain, { flight, until, resolve, reject });
      if (!this.isLooking) void this.lookAround();
    });
  }

  private async lookAround(): Promise<void> {
    this.isLooking = true;
    try {
      while (this.awaited.size > 0) {
        await delay(POLL_INTERVAL_MS);
        await this.lookOnce();
      }
    } catch (error) {
      for (const { reject } of this.awaited.values()) reject(error);
      this.awaited.clear();
    } finally {
      this.isLooking = false;
    }
  }

  private async lookOnce(): Promise<void> {
    const asked = [...this.awaited]; // whoever comes while the database is asked is none of those it tells about
    const rows = await this.statements.run<InFlightRow>(SELECT_IN_FLIGHT, [asked.map(([domain]) => domain)]);
    const byName = new Map(rows.map((row) => [row.domain, row]));
    for (const [domain, { flight, until, resolve }] of asked) {
      const arrived = performance.now() > until ? null : resultIn(byName.get(domain), flight);
      if (arrived === 'under_way') continue;
      this.awaited.delete(domain);
      resolve(arrived);
    }
  }
}

/** A later flight's outcome will do as well: it is the fresher one. */
function resultIn(row: InFlightRow | undefined, flight: string): LookupResult | null | 'under_way' {
  if (row?.landed && BigInt(row.landed) >= BigInt(flight)) {
    if (row.failure !== null) return parseFailure(row.failure);
    return row.facts !== null && row.proof !== null ? parseObservation({ facts: row.facts, proof: row.proof }) : null;
  }
  return row?.flying && row.flight === flight ? 'under_way' : null;
}
