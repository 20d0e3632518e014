import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FaultyPostgres } from '../../faults/cluster/postgres.js';
import { FaultyRedis } from '../../faults/cluster/redis.js';
import { generateApiKey } from '../../../src/auth/index.js';
import { freePort } from '../../../src/process/postgres/embedded-postgres.js';
import { CertificateAuthority } from '../../support/builders/certificates.js';
import { eventually } from '../../support/eventually.js';
import { type ServiceProcess, startServiceProcess } from '../../support/servers/service-process.js';
import { WebhookReceiver } from '../../support/fakes/webhook-receiver.js';

/** Leases run out within an outage, so that what was lost with it is claimed again soon after. */
const LEASE_SECONDS = 2;
/** Time to recover after an outage: a lease, and reconnecting. */
const HEALING = 15_000;

export const OVERDUE = 'namewatch_oldest_overdue_seconds';
/** Whether the process can use what it needs, as metrics say it. */
export const up = (dependency: string) => `namewatch_dependency_up{dependency="${dependency}"}`;

export interface Reply {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: Record<string, unknown>;
  /** Milliseconds. */
  readonly took: number;
}

/** The whole service in a process, on a PostgreSQL and perhaps a Redis of its own, with a webhook receiver. */
export class OutageService {
  private constructor(
    private readonly folder: string,
    private readonly key: string,
    private readonly process: ServiceProcess,
    private readonly metricsPort: number,
    private readonly receiver: WebhookReceiver,
    readonly postgres: FaultyPostgres,
    readonly redis: FaultyRedis | null,
  ) {}

  static async start(withRedis: boolean): Promise<OutageService> {
    const folder = mkdtempSync(join(tmpdir(), 'namewatch-outage-'));
    chmodSync(folder, 0o711);
    const [postgres, redis, authority, metricsPort] = await Promise.all([
      FaultyPostgres.start(folder),
      withRedis ? FaultyRedis.start(folder) : null,
      CertificateAuthority.create(),
      freePort(),
    ]);
    const receiver = await WebhookReceiver.start(await authority.issue(['127.0.0.1']));
    writeFileSync(join(folder, 'ca.pem'), authority.cert);
    const key = generateApiKey().text;
    const process = await startServiceProcess({
      DATABASE_URL: postgres.url,
      MASTER_KEY: randomBytes(32).toString('base64'),
      BOOTSTRAP_API_KEY: key,
      ...(redis ? { REDIS_URL: redis.url } : {}),
      RDAP_BOOTSTRAP_URL: 'off',
      DNS_SERVERS: 'off',
      WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
      WEBHOOK_CA_FILE: join(folder, 'ca.pem'),
      METRICS_PORT: String(metricsPort),
      LEASE_SECONDS: String(LEASE_SECONDS),
      TIME_SCALE: '60',
      LOG_LEVEL: 'fatal',
    });
    const service = new OutageService(folder, key, process, metricsPort, receiver, postgres, redis);
    await service.call('POST', '/v1/notifications', { type: 'webhook', target: receiver.url() });
    return service;
  }

  async call(method: string, path: string, body?: object): Promise<Reply> {
    const asked = performance.now();
    const answer = await fetch(`${this.process.address}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const read = (await answer.json()) as Record<string, unknown>;
    const retryAfter = answer.headers.get('retry-after');
    return { status: answer.status, retryAfter, body: read, took: performance.now() - asked };
  }

  /** Watches a name whose first lookup finds that it expires soon, which it asks to be told. */
  watch(label: string): Promise<Reply> {
    return this.call('POST', '/v1/watchlist', { domain: `${label}--expiring.test`, notify_current: true });
  }

  /** The parts that `/readyz` complains about; empty while all is well. */
  async troubles(): Promise<Record<string, unknown>> {
    const { body } = await this.call('GET', '/readyz');
    const checks = body['checks'] as Record<string, unknown>;
    return Object.values(checks).every((outcome) => outcome === 'ok') ? {} : checks;
  }

  /** One scrape: the value of each metric by its name with its labels; those without a value are left out. */
  async scrape(): Promise<ReadonlyMap<string, number>> {
    const answer = await fetch(`http://127.0.0.1:${this.metricsPort}/metrics`);
    if (answer.status !== 200) throw new Error(`/metrics answers ${answer.status}`);
    const lines = (await answer.text()).split('\n').filter((line) => /^\w/.test(line));
    return new Map(lines.map((line) => [line.replace(/ \S+$/, ''), Number(line.split(' ').at(-1))]));
  }

  /**
   * Resolves when the whole service goes on by itself: the event arrives, nothing is late any more, and it says so.
   * @param overAt the end of the outage, by performance.now(); the time since is a figure of docs/outages.md
   */
  async heals(label: string, overAt = performance.now()): Promise<void> {
    const acceptedAt = performance.now();
    const isDelivered = () => this.receiver.received.all.some(({ body }) => body.includes(`"${label}--expiring.test"`));
    await eventually(() => Promise.resolve(isDelivered()), Boolean, HEALING);
    const [accepted, delivered] = [acceptedAt, performance.now()].map((at) => Math.round(at - overAt));
    if (process.env['FIGURES'])
      console.info(`${label}: accepted after ${accepted} ms, delivered after ${delivered} ms`);
    await eventually(
      () => this.scrape(),
      (metrics) => (metrics.get(OVERDUE) ?? Infinity) < LEASE_SECONDS,
      HEALING,
    );
    await eventually(
      () => this.troubles(),
      (troubles) => Object.keys(troubles).length === 0,
      HEALING,
    );
  }

  async stop(): Promise<void> {
    await this.process.kill('SIGINT');
    await Promise.all([this.receiver.close(), this.redis?.stop(), this.postgres.stop()]);
    const cluster = realpathSync(join(this.folder, 'pg'));
    for (const left of [cluster, `${cluster}.home`, this.folder]) rmSync(left, { recursive: true, force: true });
  }
}
