import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Child, type CommandChild, quietSettings, startCommandChild, startService } from '../child.js';
import { temporaryFolder } from '../cleanup.js';
import type { Order } from './maintainer.js';
import { type Done, measureWork } from './rss.js';
import type { SeededAccount } from './seed.js';

/** The service: a process that answers requests, and a process for the work that no request waits for. */
export class Service {
  private constructor(
    private readonly api: Child,
    private readonly maintainer: CommandChild<Order, Done>,
  ) {}

  static async start(databaseUrl: string): Promise<Service> {
    const plans = join(temporaryFolder(), 'plans.json');
    writeFileSync(plans, JSON.stringify({ selfhost: { entries: 0, requests_per_minute: 0 } }));
    const env = { ...quietSettings(databaseUrl), ROLE: 'api', PLANS_FILE: plans };
    const api = await startService(env);
    const maintainer = await startCommandChild<Order, Done>('operations/maintainer.ts', env);
    return new Service(api, maintainer);
  }

  maintain(order: Order): Promise<Done> {
    return this.maintainer.run(order);
  }

  /** Reads the whole file, as fast as it comes. */
  export({ key, entries }: SeededAccount): Promise<Done> {
    return this.measured(async () => {
      const answer = await this.request('/v1/watchlist/export?format=ndjson', key);
      let lines = 0;
      for await (const chunk of answer.body ?? []) for (const byte of chunk) if (byte === 0x0a) lines += 1;
      if (lines !== entries) throw new Error(`${lines} lines were exported`);
    });
  }

  /** Names of an account into another one, which have facts, so that each entry starts with history; then new ones. */
  import({ label, imported }: SeededAccount, key: string): Promise<Done> {
    return this.measured(async () => {
      const toRow = (name: string) => `${name}.test,1440,,brand;shop,A note about it,own`;
      const rows = ['', '-new'].flatMap((kind) =>
        Array.from({ length: imported / 2 }, (_, n) => toRow(`${label}${kind}-${n + 1}`)),
      );
      const body = ['domain,interval_minutes,expiring_window_days,tags,note,purpose', ...rows].join('\n');
      const answer = await this.request('/v1/watchlist/import', key, { body, type: 'text/csv' });
      const { created } = (await answer.json()) as { created?: number };
      if (created !== imported) throw new Error(`${answer.status}: ${created} were imported`);
    });
  }

  replay({ key, channel, deliveries }: SeededAccount): Promise<Done> {
    return this.measured(async () => {
      const range = { from: new Date(Date.now() - 86_400_000), to: new Date(Date.now() + 86_400_000) };
      const body = JSON.stringify(range);
      const answer = await this.request(`/v1/notifications/${channel}/replay`, key, { body, type: 'application/json' });
      const { count } = (await answer.json()) as { count?: number };
      if (count !== deliveries) throw new Error(`${answer.status}: ${count} are sent again`);
    });
  }

  /** Asks for a page of a list again and again. @returns the slowest answer in milliseconds, when it is stopped */
  watchAnswers(key: string): () => Promise<number> {
    const stopping = new AbortController();
    let slowest = 0;
    const watch = async () => {
      while (!stopping.signal.aborted) {
        const began = performance.now();
        await (await this.request('/v1/watchlist?per_page=1', key)).arrayBuffer();
        slowest = Math.max(slowest, performance.now() - began);
        await pause(50);
      }
      return slowest;
    };
    const watching = watch();
    return () => {
      stopping.abort();
      return watching;
    };
  }

  private measured(work: () => Promise<void>): Promise<Done> {
    return measureWork(this.api.pid, work);
  }

  private async request(path: string, key: string, sent?: { body: string; type: string }): Promise<Response> {
    const headers = { authorization: `Bearer ${key}`, ...(sent && { 'content-type': sent.type }) };
    const answer = await fetch(`${this.api.address}${path}`, {
      headers,
      ...(sent && { method: 'POST', body: sent.body }),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }
}
