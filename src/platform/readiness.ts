import { Injectable } from '@nestjs/common';
import { Metrics } from './metrics/metrics.js';
import { SqlClient } from './database/sql-client.js';
import { withTimeout } from '../kernel/promises.js';

/** Checks one dependency. Rejects if the dependency is unavailable. */
export type ReadinessCheck = () => Promise<void>;

const CHECK_TIMEOUT_MS = 1_000;

const REPORT_TTL_MS = 1_000;

/** Returns no row on a standby, or on a server that is read-only because its disk is nearly full. */
const WRITABLE = { name: 'ready', text: `select 1 where current_setting('transaction_read_only') = 'off'` };

export interface ReadinessReport {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, 'ok' | 'unavailable'>>;
}

/** Checks the dependencies of this process. Modules add their checks. */
@Injectable()
export class Readiness {
  private readonly checks = new Map<string, ReadinessCheck>();
  /** The names of checks that may fail while the process still serves requests. */
  private readonly dispensable = new Set<string>();
  private retired = false;
  private latest: { readonly report: Promise<ReadinessReport>; readonly startedAt: number } | null = null;

  constructor(sqlClient: SqlClient, metrics: Metrics) {
    this.add('database', async () => {
      if ((await sqlClient.run(WRITABLE)).length === 0) throw new Error('the database is read-only');
    });
    const help = '1 while this process can use the dependency, else 0.';
    metrics.gauge('namewatch_dependency_up', help, () => this.gaugeReadings(), 'dependency');
  }

  /** @param isNeeded false if the process can serve without the dependency; its failure is still reported */
  add(name: string, check: ReadinessCheck, isNeeded = true): void {
    this.checks.set(name, check);
    if (!isNeeded) this.dispensable.add(name);
  }

  /** Makes load balancers send requests elsewhere. Requests that still arrive are served. */
  retire(): void {
    this.retired = true;
  }

  get isRetired(): boolean {
    return this.retired;
  }

  /** Checks the dependencies at most once a second, so that a flood of health requests takes no connections. */
  report(): Promise<ReadinessReport> {
    if (this.latest && performance.now() - this.latest.startedAt < REPORT_TTL_MS) return this.latest.report;
    this.latest = { report: this.probe(), startedAt: performance.now() };
    return this.latest.report;
  }

  private async probe(): Promise<ReadinessReport> {
    const outcomes = await Promise.all(
      [...this.checks].map(async ([name, check]) => [name, (await succeeds(check)) ? 'ok' : 'unavailable'] as const),
    );
    const ready = outcomes.every(([name, outcome]) => outcome === 'ok' || this.dispensable.has(name));
    return { ready, checks: Object.fromEntries(outcomes) };
  }

  private async gaugeReadings(): Promise<ReadonlyMap<string, number>> {
    const { checks } = await this.report();
    return new Map(Object.entries(checks).map(([name, outcome]) => [name, outcome === 'ok' ? 1 : 0]));
  }
}

function succeeds(check: ReadinessCheck): Promise<boolean> {
  return withTimeout(CHECK_TIMEOUT_MS, check()).then(
    () => true,
    () => false,
  );
}
