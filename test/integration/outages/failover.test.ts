import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ReplicatedPostgres } from '../../faults/cluster/replicated-postgres.js';
import { generateApiKey } from '../../../src/auth/index.js';
import { CertificateAuthority } from '../../support/builders/certificates.js';
import { eventually } from '../../support/eventually.js';
import { WebhookReceiver } from '../../world/receiver.js';
import { type ServiceProcess, startServiceProcess } from '../../support/servers/service-process.js';

jest.setTimeout(180_000);

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** A primary, a standby and a receiver, and how to start the service with them. */
async function startPair(replication: 'synchronous' | 'asynchronous') {
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-failover-'));
  chmodSync(folder, 0o711);
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  const postgres = await ReplicatedPostgres.start(folder, replication);
  closing.push(() => postgres.stop());
  const authority = await CertificateAuthority.create();
  const receiver = await WebhookReceiver.start(await authority.issue(['127.0.0.1']));
  closing.push(() => receiver.close());
  writeFileSync(join(folder, 'ca.pem'), authority.cert);
  const key = generateApiKey().text;
  const lines: string[] = [];
  const settings = {
    DATABASE_URL: postgres.url,
    MASTER_KEY: randomBytes(32).toString('base64'),
    BOOTSTRAP_API_KEY: key,
    RDAP_BOOTSTRAP_URL: 'off',
    DNS_SERVERS: 'off',
    WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: join(folder, 'ca.pem'),
    LEASE_SECONDS: '2',
    TIME_SCALE: '60',
    LOG_LEVEL: 'warn',
  };
  const start = async (ROLE: 'all' | 'api') => {
    const service = await startServiceProcess({ ...settings, ROLE }, (line) => lines.push(line));
    closing.push(() => service.kill('SIGINT'));
    return { call: callerOf(service, key) };
  };
  return { postgres, receiver, start, lines };
}

function callerOf(service: ServiceProcess, key: string) {
  return async (method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await fetch(`${service.address}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
}

/** The service with both, writing names until it is told to stop. */
async function startWriting(replication: 'synchronous' | 'asynchronous') {
  const { postgres, receiver, start, lines } = await startPair(replication);
  const { call } = await start('all');
  await call('POST', '/v1/notifications', { type: 'webhook', target: receiver.url() });

  const acknowledged: { readonly domain: string; readonly atMs: number }[] = [];
  const refused = new Set<number>();
  let isWriting = true;
  const write = async () => {
    for (let n = 0; isWriting; n += 1) {
      const domain = `name-${n}--expiring.test`;
      const { status } = await call('POST', '/v1/watchlist', { domain, notify_current: true });
      if (status === 201) acknowledged.push({ domain, atMs: performance.now() });
      else refused.add(status);
      await pause(10); // a pace, not a wait
    }
  };
  const written = write();
  const stopWriting = () => ((isWriting = false), written);
  closing.push(stopWriting);
  const isTold = (domain: string) => receiver.received.all.some(({ body }) => body.includes(`"${domain}"`));
  return { postgres, call, acknowledged, refused, stopWriting, isTold, lines };
}

const stored = async (postgres: ReplicatedPostgres) =>
  new Set(
    (await postgres.queryPromoted<{ domain: string }>('select domain from watch_entries')).map((row) => row.domain),
  );

describe('a failover while the service writes', () => {
  it('loses no confirmed name and no webhook with synchronous replication', async () => {
    const { postgres, acknowledged, refused, stopWriting, isTold, lines } = await startWriting('synchronous');
    await eventually(
      () => Promise.resolve(acknowledged.length),
      (count) => count >= 50,
      30_000,
    );
    const lostAt = performance.now();
    await postgres.failOver();
    const promotedAt = performance.now();
    await eventually(
      () => Promise.resolve(acknowledged.at(-1)?.atMs ?? 0),
      (atMs) => atMs > promotedAt,
      30_000,
    );
    const wroteAgainAt = acknowledged.find(({ atMs }) => atMs > promotedAt)?.atMs ?? NaN;
    const firstAfter = acknowledged.find(({ atMs }) => atMs > promotedAt)?.domain ?? '';
    await eventually(() => Promise.resolve(isTold(firstAfter)), Boolean, 30_000);
    const toldAt = performance.now();
    await stopWriting();

    const kept = await stored(postgres);
    expect(acknowledged.filter(({ domain }) => !kept.has(domain))).toEqual([]);
    expect([...refused].filter((status) => status !== 503)).toEqual([]);
    await eventually(
      () => Promise.resolve(acknowledged.filter(({ domain }) => !isTold(domain))),
      (left) => left.length === 0,
      60_000,
    );
    expect(lines.join('\n')).toContain('PostgreSQL failed over');
    report({
      replication: 'synchronous',
      acknowledged: acknowledged.length,
      lost: 0,
      lostAt,
      promotedAt,
      wroteAgainAt,
      toldAt,
    });
  });

  it('loses only the last writes with asynchronous replication, and a cursor after them gets 410', async () => {
    const { postgres, call, acknowledged, stopWriting, isTold, lines } = await startWriting('asynchronous');
    await eventually(
      () => Promise.resolve(acknowledged.length),
      (count) => count >= 50,
      30_000,
    );
    await postgres.pauseReplication();
    const pausedAt = performance.now();
    await eventually(
      () => Promise.resolve(acknowledged.filter(({ atMs }) => atMs > pausedAt).length),
      (count) => count >= 20,
      30_000,
    );
    const lastBefore = acknowledged.at(-1)?.domain ?? '';
    await eventually(() => Promise.resolve(isTold(lastBefore)), Boolean, 30_000);
    await stopWriting();
    const events = await call('GET', '/v1/events?limit=1000');
    const next = await endOf(call, events);
    const lostAt = performance.now();
    await postgres.failOver();
    const promotedAt = performance.now();
    const after = await eventually(
      () => call('GET', `/v1/events?after=${next}`),
      ({ status }) => status !== 503,
      30_000,
    );
    const readAgainAt = performance.now();
    expect(after).toMatchObject({ status: 410, body: { code: 'cursor_expired' } });

    const kept = await stored(postgres);
    const lost = acknowledged.filter(({ domain }) => !kept.has(domain));
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.every(({ atMs }) => atMs > pausedAt - 1_000)).toBe(true);
    expect(lines.join('\n')).toContain('PostgreSQL failed over');
    for (const { domain } of lost.slice(0, 5))
      expect((await call('POST', '/v1/watchlist', { domain, notify_current: true })).status).toBe(201);
    report({
      replication: 'asynchronous',
      acknowledged: acknowledged.length,
      lost: lost.length,
      lostAt,
      promotedAt,
      wroteAgainAt: readAgainAt,
    });
  });
});

describe('a lookup result that a failover lost', () => {
  it('is found again by a new lookup, and is sent with a new event id', async () => {
    const { postgres, receiver, start } = await startPair('asynchronous');
    const { call } = await start('api');
    await call('POST', '/v1/notifications', { type: 'webhook', target: receiver.url() });
    await call('POST', '/v1/watchlist', { domain: 'twice--expiring.test', notify_current: true });
    await postgres.whenReplicated();
    await postgres.pauseReplication();
    await start('all');
    const ids = () => new Set(receiver.received.all.map(({ headers }) => headers['webhook-id']));
    await eventually(
      () => Promise.resolve(ids().size),
      (n) => n === 1,
      30_000,
    );
    await postgres.failOver();
    await eventually(
      () => Promise.resolve(ids().size),
      (n) => n === 2,
      60_000,
    );
    const events = receiver.received.all.map(
      ({ body }) => JSON.parse(body.toString()) as { type: string; data: object },
    );
    expect(new Set(events.map(({ type }) => type)).size).toBe(1);
    for (const { data } of events) expect(data).toMatchObject({ domain: 'twice--expiring.test', status: 'expiring' });
  });
});

/** The cursor after all events. */
async function endOf(call: (method: string, path: string) => Promise<Answer>, first: Answer): Promise<string> {
  const { next, has_more: hasMore } = first.body['meta'] as { next: string; has_more: boolean };
  return hasMore ? endOf(call, await call('GET', `/v1/events?limit=1000&after=${next}`)) : next;
}

/** The figures of docs/performance.md. */
function report(figures: Record<string, number | string>): void {
  if (process.env['FIGURES']) console.log(JSON.stringify(figures));
}
