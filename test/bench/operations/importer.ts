import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

interface Sum {
  readonly created: number;
  readonly failed: number;
}

/** Sends files to a service, and watches what they take. */
export class Importer {
  constructor(
    private readonly address: string,
    /** The key of the account that a file is for. */
    private readonly key: () => Promise<string>,
    private readonly metrics: string,
  ) {}

  /** A plan that never refuses an entry. */
  static plansFile(folder: string): string {
    const path = join(folder, 'plans.json');
    writeFileSync(path, JSON.stringify({ selfhost: { entries: 0, requests_per_minute: 0 } }));
    return path;
  }

  /** Imports into an account of its own. @returns seconds, from the first byte that was sent to the last one of the answer */
  async import(label: string, names: number): Promise<number> {
    const rows = Array.from({ length: names }, (_, n) => `${label}-${n}.test,360,,brand;shop,A note about it,own`);
    const body = ['domain,interval_minutes,expiring_window_days,tags,note,purpose', ...rows].join('\n');
    const key = await this.key();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'text/csv' };
    const began = performance.now();
    const answer = await fetch(`${this.address}/v1/watchlist/import`, { method: 'POST', headers, body });
    const sum = (await answer.json()) as Sum;
    if (sum.created !== names) throw new Error(`${answer.status}: ${JSON.stringify(sum)}`);
    return (performance.now() - began) / 1_000;
  }

  /** @returns the most memory that the service held while the work was done; bytes */
  async peakDuring(work: () => Promise<unknown>): Promise<number> {
    let isOver = false;
    let peak = 0;
    const watch = async () => {
      while (!isOver) {
        peak = Math.max(peak, await this.residentBytes());
        await pause(50);
      }
    };
    const watching = watch();
    try {
      await work();
    } finally {
      isOver = true;
      await watching;
    }
    return peak;
  }

  /** Resolves when no name is due or being looked up. */
  async settle(): Promise<void> {
    while ((await this.unanswered('last_checked_at')) || (await this.unanswered('-last_checked_at'))) await pause(100);
  }

  residentBytes(): Promise<number> {
    return this.metric('process_resident_memory_bytes');
  }

  /** Whether a name that has no lookup yet comes first in this order. */
  private async unanswered(sort: string): Promise<boolean> {
    const headers = { authorization: `Bearer ${await this.key()}` };
    const answer = await fetch(`${this.address}/v1/watchlist?per_page=1&sort=${sort}`, { headers });
    const { data } = (await answer.json()) as { data: { last_checked_at: string | null }[] };
    return data.some((entry) => entry.last_checked_at === null);
  }

  private async metric(name: string): Promise<number> {
    const text = await (await fetch(this.metrics)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
  }
}
