import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateApiKey } from '../../../src/auth/index.js';
import { serviceDatabase } from '../../support/servers/test-service.js';
import { type ServiceProcess, startServiceProcess } from '../../support/servers/service-process.js';

const STARTING = 300_000;
const POLL_MS = 1_000;
const REQUESTS = 5_000;
const CLIENTS = 8;

/** A balancer as most are: it asks each backend now and then whether it is ready, and keeps its connections. */
class Balancer {
  readonly server: Server;
  private readonly ready = new Set<string>();
  private readonly agent = new Agent({ keepAlive: true });
  private readonly stopping = new AbortController();
  private turn = 0;

  constructor(private readonly backends: () => readonly string[]) {
    this.server = createServer((incoming, reply) => {
      const all = this.backends().filter((address) => this.ready.has(address));
      const backend = all[(this.turn += 1) % all.length];
      if (backend === undefined) return void reply.writeHead(502).end();
      const { method, url, headers } = incoming;
      const passed = request(`${backend}${url}`, { method, headers, agent: this.agent }, (answer) => {
        reply.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(reply);
      });
      passed.on('error', () => reply.writeHead(502).end());
      incoming.pipe(passed);
    });
  }

  async start(): Promise<string> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    await this.poll();
    void this.keepPolling();
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.stopping.abort();
    this.server.close();
    this.server.closeAllConnections();
    this.agent.destroy();
  }

  private async keepPolling(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await pause(POLL_MS);
      await this.poll();
    }
  }

  private async poll(): Promise<void> {
    for (const address of this.backends()) {
      const isReady = await fetch(`${address}/readyz`)
        .then(({ ok }) => ok)
        .catch(() => false);
      if (isReady) this.ready.add(address);
      else this.ready.delete(address);
    }
  }
}

describe('two processes of the API behind a balancer', () => {
  const key = generateApiKey().text;
  let settings: Record<string, string>;
  let processes: ServiceProcess[] = [];
  let balancer: Balancer;
  let address: string;

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
    balancer = new Balancer(() => processes.map((process) => process.address));
    address = await balancer.start();
  }, STARTING);
  afterAll(async () => {
    balancer.stop();
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
    'refuse no request while one after the other is restarted',
    async () => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const answers = new Map<number, number>();
      let isRestarting = true;
      let sent = 0;
      const callRepeatedly = async () => {
        while (isRestarting || sent < REQUESTS) {
          const number = (sent += 1);
          const { status } = await (number % 50 === 0
            ? fetch(`${address}/v1/watchlist`, {
                method: 'POST',
                headers,
                body: JSON.stringify({ domain: `n${number}--registered.test` }),
              })
            : fetch(`${address}/v1/me`, { headers }));
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
