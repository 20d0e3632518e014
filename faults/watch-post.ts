import { setTimeout as pause } from 'node:timers/promises';
import type { Role } from './member.js';
import type { Stage } from './stage.js';
import type { State } from './truth.js';

/** How late the most overdue look was. */
export interface Reading {
  readonly at: number;
  readonly seconds: number;
  /** Whether anybody was up to claim names and to look at them. */
  readonly isServed: boolean;
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
  select coalesce(max(extract(epoch from now() - n.next_check_at)), 0)::float8 as seconds from watched_names n`;

const EVERY = 150;

/** Looks at what entries show, past the service, and at how late its looks are. */
export class WatchPost {
  private shown = new Map<string, Shown>();
  readonly lateness: Reading[] = [];

  constructor(
    private readonly stage: Pick<Stage, 'postgres' | 'members'>,
    private readonly watchers: number,
  ) {}

  async observe(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await this.look().catch(() => undefined); // it is down: what was seen last stays
      await pause(EVERY);
    }
  }

  /** Whether all who watch it are shown this. */
  isTold(name: string, state: State): boolean {
    const shown = this.shown.get(name);
    return shown?.entries === this.watchers && shown.statuses.every((status) => status === state);
  }

  private async look(): Promise<void> {
    const at = Date.now();
    const { postgres } = this.stage;
    const shown = await postgres.query<Shown>(SHOWN);
    const late = await postgres.query<{ seconds: number }>(LATE);
    this.shown = new Map(shown.map((one) => [one.domain, one]));
    this.lateness.push({ at, seconds: late[0]?.seconds ?? 0, isServed: this.isUp('scheduler') && this.isUp('worker') });
  }

  private isUp(role: Role): boolean {
    return this.stage.members.some((member) => member.role === role && member.address !== null);
  }
}
