import { Injectable } from '@nestjs/common';
import { Metrics } from './metrics/metrics.js';
import { SqlClient } from './database/sql-client.js';
import { withTimeout } from './concurrency/with-timeout.js';

/** Throws when what it looks at cannot be used. */
export type ReadinessCheck = () => Promise<void>;

/** A check that takes longer has failed; milliseconds. */
const CHECK_TIMEOUT_MS = 1_000;

/** What was found holds for so long, however many ask; milliseconds. */
const REPORT_TTL_MS = 1_000;

export interface ReadinessReport {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, 'ok' | 'unavailable'>>;
}

/** What this process needs to do its work; modules add what they need. */
@Injectable()
export class Readiness {
  private readonly checks = new Map<string, ReadinessCheck>();
  private latest: { readonly report: Promise<ReadinessReport>; readonly startedAt: number } | null = null;

  constructor(sqlClient: SqlClient, metrics: Metrics) {
    this.add('database', async () => void (await sqlClient.run({ name: 'ready', text: 'select 1' })));
    const help = 'Whether this process can use what it needs: 1, or 0 while it is away.';
    metrics.gauge('namewatch_dependency_up', help, () => this.gaugeReadings(), 'dependency');
  }

  add(name: string, check: ReadinessCheck): void {
    this.checks.set(name, check);
  }

  /** One probe in a second for all who ask: a flood of them takes no connections from anybody. */
  report(): Promise<ReadinessReport> {
    if (this.latest && performance.now() - this.latest.startedAt < REPORT_TTL_MS) return this.latest.report;
    this.latest = { report: this.probe(), startedAt: performance.now() };
    return this.latest.report;
  }

  private async probe(): Promise<ReadinessReport> {
    const outcomes = await Promise.all(
      [...this.checks].map(async ([name, check]) => [name, (await succeeds(check)) ? 'ok' : 'unavailable'] as const),
    );
    return { ready: outcomes.every(([, outcome]) => outcome === 'ok'), checks: Object.fromEntries(outcomes) };
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
