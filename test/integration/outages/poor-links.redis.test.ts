import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { FaultyPostgres } from '../../faults/cluster/postgres.js';
import { SeededRandom } from '../../faults/scenario/seeded-random.js';
import { type LinkConditions, TcpProxy } from '../../world/proxy.js';
import { generateApiKey } from '../../../src/auth/index.js';
import { freePort } from '../../../src/process/postgres/embedded-postgres.js';
import { budgetsFile } from '../../support/builders/budgets-file.js';
import { CertificateAuthority } from '../../support/builders/certificates.js';
import { eventually } from '../../support/eventually.js';
import { FakeRegistry } from '../../world/registry.js';
import { MailCatcher } from '../../world/mailbox.js';
import { WebhookReceiver } from '../../world/receiver.js';
import { startRedis } from '../../support/servers/redis-server.mjs';
import { type ServiceProcess, startServiceProcess } from '../../support/servers/service-process.js';

jest.setTimeout(180_000);

const KEY = generateApiKey().text;
const DAY = 86_400_000;
/** Checked every five minutes, five seconds here. */
const NAMES = 200;
const TIME_SCALE = 60;
const WINDOW_MS = 8_000;
const ADDED_IN_WINDOW = 16;
/** For the last webhook and mail, over a link that is repaired by then. */
const REST_MS = 60_000;
const MAX_MEGABYTES = 500;

const CONDITIONS = {
  '50 ms each way': { delayMs: 50 },
  '32 kB/s': { bytesPerSecond: 32_000 },
  '5 % lost': { lossShare: 0.05 },
  'one reset a second': { resetEveryMs: 1_000 },
  'one halved a second': { halveEveryMs: 1_000 },
} satisfies Readonly<Record<string, LinkConditions>>;
type Condition = keyof typeof CONDITIONS;
const CONDITION_NAMES = Object.keys(CONDITIONS) as Condition[];
const LINKS = ['database', 'redis', 'registry', 'receiver', 'relay'] as const;
type Link = (typeof LINKS)[number];

const folder = mkdtempSync(join(tmpdir(), 'namewatch-links-'));
const links = new Map<Link, TcpProxy>();
let postgres: FaultyPostgres;
let redis: Awaited<ReturnType<typeof startRedis>>;
let registry: FakeRegistry;
let receiver: WebhookReceiver;
let relay: MailCatcher;
let service: ServiceProcess;
let metricsPort: number;
beforeAll(async () => {
  chmodSync(folder, 0o711);
  const authority = await CertificateAuthority.create();
  [postgres, redis, registry, receiver, relay, metricsPort] = await Promise.all([
    FaultyPostgres.start(folder),
    startRedis('redis-server'),
    FakeRegistry.start(),
    WebhookReceiver.start(await authority.issue(['127.0.0.1'])),
    MailCatcher.start(),
    freePort(),
  ]);
  writeFileSync(join(folder, 'ca.pem'), authority.cert);
  const random = new SeededRandom('poor links');
  const targets = {
    database: postgres.url,
    redis: redis.url,
    registry: registry.url,
    receiver: receiver.url(),
    relay: relay.url,
  };
  for (const link of LINKS) {
    const port = Number(new URL(targets[link]).port);
    links.set(link, await TcpProxy.start({ host: '127.0.0.1', port }, () => random.next()));
  }
  service = await startServiceProcess({
    DATABASE_URL: through('database', targets.database),
    REDIS_URL: through('redis', targets.redis),
    RDAP_OVERRIDES: `example=${through('registry', targets.registry)}`,
    LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
    LOOKUP_BUDGETS_FILE: budgetsFile({ default: { per_second: 0, burst: 100, concurrency: 64 } }),
    WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: join(folder, 'ca.pem'),
    SMTP_URL: through('relay', targets.relay),
    MAIL_FROM: 'namewatch@namewatch.example',
    NOTIFICATIONS_EMAIL_CONFIRMATION: 'off',
    MASTER_KEY: randomBytes(32).toString('base64'),
    BOOTSTRAP_API_KEY: KEY,
    RDAP_BOOTSTRAP_URL: 'off',
    DNS_SERVERS: 'off',
    TIME_SCALE: String(TIME_SCALE),
    METRICS_PORT: String(metricsPort),
    LOG_LEVEL: 'fatal',
  });
  await openChannel('webhook', through('receiver', receiver.url()));
  const names = Array.from({ length: NAMES }, (_, n) => `steady${n}.example`);
  for (const name of names) registry.holds(name, { expiresAt: new Date(Date.now() + 400 * DAY) });
  for (const domain of names) expect((await call('/v1/watchlist', { domain, interval_minutes: 5 })).status).toBe(201);
  await eventually(
    () => Promise.resolve(new Set(registry.arrivals.map(({ name }) => name)).size),
    (n) => n === NAMES,
  );
});
afterAll(async () => {
  await service.kill('SIGKILL');
  await Promise.all([...links.values()].map((link) => link.close()));
  await Promise.all([receiver.close(), relay.close(), registry.stop(), redis.stop(), postgres.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

function through(link: Link, url: string): string {
  return Object.assign(new URL(url), { port: String(links.get(link)?.port) }).href;
}

/** A channel; without it nothing would arrive. */
async function openChannel(type: string, target: string): Promise<string> {
  const { status, body } = await call('/v1/notifications', { type, target });
  expect(status).toBe(201);
  return String(body['id']);
}

async function call(path: string, body?: object, method = body ? 'POST' : 'GET', headers: Record<string, string> = {}) {
  const answer = await fetch(`${service.address}${path}`, {
    method,
    headers: { authorization: `Bearer ${KEY}`, ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> };
}

async function metric(name: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await answer.text())?.[1]);
}

/** Adds a name. A refused request is sent again with the same key, as clients do. @returns how often it was refused */
async function add(domain: string): Promise<number> {
  registry.holds(domain, { expiresAt: new Date(Date.now() + 10 * DAY) });
  for (let refused = 0; ; refused += 1) {
    const { status, body } = await call('/v1/watchlist', { domain, notify_current: true }, 'POST', {
      'idempotency-key': domain,
    });
    if (status === 201) return refused;
    expect([503, 429]).toContain(status);
    expect(['database_unavailable', 'too_many_concurrent_requests']).toContain(body['code']);
    await pause(1_000); // Retry-After
  }
}

let runs = 0;

/** Adds names over the link until each has its webhook and its mail, and all steady names are checked in time again. */
async function addOver(link: Link, condition: Condition): Promise<{ refused: number; megabytes: number }> {
  runs += 1;
  const names = Array.from({ length: ADDED_IN_WINDOW }, (_, n) => `added${n}-of-${runs}.example`);
  const address = `box${runs}@receiver.example`;
  // Mails that come all at once would be one.
  const mailbox = link === 'relay' ? await openChannel('email', address) : null;
  links.get(link)?.become(CONDITIONS[condition]);
  const adding = names.map(async (name, n) => {
    await pause((n * WINDOW_MS) / ADDED_IN_WINDOW);
    return add(name);
  });
  let megabytes = 0;
  for (const startedAt = performance.now(); performance.now() - startedAt < WINDOW_MS; await pause(250))
    megabytes = Math.max(megabytes, (await metric('process_resident_memory_bytes')) / 1_024 ** 2);
  links.get(link)?.become({});
  const refused = (await Promise.all(adding)).reduce((sum, n) => sum + n, 0);
  const lost = () => {
    const webhooks = receiver.received.all.map(({ body }) => body.toString());
    const mails = relay.caught.all.filter(({ to }) => to.includes(address)).map(({ raw }) => raw);
    const told = mailbox === null ? [webhooks] : [webhooks, mails];
    return Promise.resolve(names.filter((name) => !told.every((texts) => texts.some((text) => text.includes(name)))));
  };
  await eventually(lost, ({ length }) => length === 0, REST_MS);
  await eventually(
    () => metric('namewatch_oldest_overdue_seconds'),
    (seconds) => seconds < 2,
    REST_MS,
  );
  if (mailbox !== null) await call(`/v1/notifications/${mailbox}`, undefined, 'DELETE');
  return { refused, megabytes };
}

describe('a slow or unreliable network connection', () => {
  it.each(LINKS.flatMap((link) => CONDITION_NAMES.map((condition) => [link, condition] as const)))(
    'delays work but loses no notification, on the way to the %s: %s',
    async (link, condition) => {
      const { refused, megabytes } = await addOver(link, condition);
      const mayRefuse = link === 'database' && /reset|halved/.test(condition);
      if (!mayRefuse) expect(refused).toBe(0);
      expect(megabytes).toBeLessThan(MAX_MEGABYTES);
    },
  );
});
