import { setTimeout as pause } from 'node:timers/promises';
import type { Role } from '../cluster/service-process.js';
import type { Cluster } from '../cluster/cluster.js';
import type { LifecycleState } from '../world/registry-state.js';

/** How late the most overdue check was. */
export interface LagReading {
  readonly at: number;
  readonly seconds: number;
  /** Whether a scheduler and a worker were running. */
  readonly hasWorkers: boolean;
}

interface Shown {
  readonly domain: string;
  readonly statuses: readonly string[];
  readonly entries: number;
}

const SHOWN = `
  select domain, array_agg(distinct status) as statuses, count(*)::int as entries
  from watch_entries group by domain`;
const LATE = `
  select coalesce(max(extract(epoch from now() - n.next_check_at)), 0)::float8 as value from watched_names n`;

const SAMPLE_INTERVAL_MS = 150;

/** Reads from the database what entries show and how late checks are. */
export class LagMonitor {
  private shown = new Map<string, Shown>();
  readonly lateness: LagReading[] = [];

  constructor(
    private readonly cluster: Pick<Cluster, 'postgres' | 'processes'>,
    private readonly watchers: number,
  ) {}

  async run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await this.sample().catch(() => undefined); // PostgreSQL stays down: the last sample stays
      await pause(SAMPLE_INTERVAL_MS);
    }
  }

  /** Whether every entry of the name shows this state. */
  isShown(name: string, state: LifecycleState): boolean {
    const shown = this.shown.get(name);
    return shown?.entries === this.watchers && shown.statuses.every((status) => status === state);
  }

  private async sample(): Promise<void> {
    const { postgres } = this.cluster;
    const shown = await postgres.query<Shown>(SHOWN);
    const seconds = await postgres.queryNumber(LATE);
    this.shown = new Map(shown.map((one) => [one.domain, one]));
    this.lateness.push({
      at: Date.now(), // after the queries, which wait while PostgreSQL restarts
      seconds,
      hasWorkers: this.isUp('scheduler') && this.isUp('worker'),
    });
  }

  private isUp(role: Role): boolean {
    return this.cluster.processes.some((instance) => instance.role === role && instance.address !== null);
  }
}
