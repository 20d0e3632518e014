import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateApiKey } from '../../../src/auth/index.js';
import { serviceDatabase } from '../../support/servers/test-service.js';
import { HttpProxy } from '../../world/http-proxy.js';
import { type ServiceProcess, startServiceProcess } from '../../support/servers/service-process.js';

const STARTING = 300_000;
const POLL_MS = 1_000;
const REQUESTS = 5_000;
const CLIENTS = 8;

/** Asks each process now and then whether it is ready, as most balancers do; requests go to those in turn. */
class Readiness {
  private readonly ready = new Set<string>();
  private readonly stopping = new AbortController();
  private turn = 0;

  constructor(private readonly backends: () => readonly string[]) {}

  next(): string | null {
    const all = this.backends().filter((address) => this.ready.has(address));
    return all[(this.turn += 1) % all.length] ?? null;
  }

  async poll(): Promise<void> {
    for (const address of this.backends()) {
      const isReady = await fetch(`${address}/readyz`)
        .then(({ ok }) => ok)
        .catch(() => false);
      if (isReady) this.ready.add(address);
      else this.ready.delete(address);
    }
  }

  async keepPolling(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await pause(POLL_MS);
      await this.poll();
    }
  }

  stop(): void {
    this.stopping.abort();
  }
}

describe('two API processes behind a load balancer', () => {
  const key = generateApiKey().text;
  let settings: Record<string, string>;
  let processes: ServiceProcess[] = [];
  let balancer: HttpProxy;
  const readiness = new Readiness(() => processes.map((process) => process.address));

  beforeAll(async () => {
    settings = {
      ROLE: 'api',
      DATABASE_URL: await serviceDatabase(),
      MASTER_KEY: randomBytes(32).toString('base64'),
      BOOTSTRAP_API_KEY: key,
      RDAP_BOOTSTRAP_URL: 'off',
      DNS_SERVERS: 'off',
    };
    processes = [await startServiceProcess(settings), await startServiceProcess(settings)];
    await readiness.poll();
    void readiness.keepPolling();
    balancer = await HttpProxy.start(() => readiness.next());
  }, STARTING);
  afterAll(async () => {
    readiness.stop();
    await balancer.stop();
    await Promise.all(processes.map((process) => process.kill('SIGINT')));
  }, STARTING);

  const restartEach = async () => {
    for (const old of [...processes]) {
      const ended = old.kill('SIGTERM');
      const next = await startServiceProcess(settings);
      processes.push(next);
      expect(await ended).toBe(0);
      processes = processes.filter((process) => process !== old);
      await pause(2 * POLL_MS); // the balancer knows the new one
    }
  };

  it(
    'answer every request without an error while one after the other is restarted',
    async () => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const answers = new Map<number, number>();
      let isRestarting = true;
      let sent = 0;
      const callRepeatedly = async () => {
        while (isRestarting || sent < REQUESTS) {
          const number = (sent += 1);
          const { status } = await (number % 50 === 0
            ? fetch(`${balancer.url}/v1/watchlist`, {
                method: 'POST',
                headers,
                body: JSON.stringify({ domain: `n${number}--registered.test` }),
              })
            : fetch(`${balancer.url}/v1/me`, { headers }));
          answers.set(status, (answers.get(status) ?? 0) + 1);
          await pause(5);
        }
      };
      const clients = Array.from({ length: CLIENTS }, callRepeatedly);
      await restartEach();
      isRestarting = false;
      await Promise.all(clients);
      if (process.env['FIGURES']) console.info(JSON.stringify(Object.fromEntries(answers)));
      expect([...answers.keys()].filter((status) => status >= 300)).toEqual([]);
      expect(sent).toBeGreaterThanOrEqual(REQUESTS);
    },
    STARTING,
  );
});
