import { randomBytes } from 'node:crypto';
import { chmodSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { FaultyPostgres } from '../../faults/cluster/postgres.js';
import { generateApiKey } from '../../../src/auth/index.js';
import { freePort } from '../../../src/process/postgres/embedded-postgres.js';
import { CertificateAuthority } from '../../support/builders/certificates.js';
import { eventually } from '../../support/eventually.js';
import { verified, WebhookReceiver } from '../../support/fakes/webhook-receiver.js';
import { type ServiceProcess, startServiceProcess } from '../../support/servers/service-process.js';

const KEY = generateApiKey().text;
const HOUR = 3_600;
/** An interval of five minutes, the shortest, takes this long. */
const INTERVAL_SECONDS = 5;
const TIME_SCALE = 300 / INTERVAL_SECONDS;
const LEASE_SECONDS = 3;
const RUN_MS = 20_000;

/** The clock of each machine, as libfaketime takes it; the last clock is set back while it works, and then stops. */
const CLOCKS = { ahead: '+1h', behind: '-1h', unsteady: '+0' };
type Machine = keyof typeof CLOCKS;
const MACHINES = Object.keys(CLOCKS) as Machine[];

function fakeTimeLibrary(): string {
  const [library] = globSync('/usr/lib/*/faketime/libfaketime.so.1');
  if (library === undefined) throw new Error('this needs libfaketime: apt-get install faketime');
  return library;
}

/** Three processes on machines with different clocks share a database whose clock is right; the same for each queue. */
export function clocksSuite(queue: string, settings: Readonly<Record<string, string>>): void {
  jest.setTimeout(180_000);
  let folder: string;
  let postgres: FaultyPostgres;
  let receiver: WebhookReceiver;
  const processes = new Map<Machine, ServiceProcess>();
  const metricsPorts = new Map<Machine, number>();
  const lines: string[] = [];
  const clockFile = (machine: Machine) => join(folder, machine);
  const setClock = (machine: Machine, to: string) => writeFileSync(clockFile(machine), to);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'namewatch-clocks-'));
    chmodSync(folder, 0o711);
    postgres = await FaultyPostgres.start(folder);
    const authority = await CertificateAuthority.create();
    const day = 24 * HOUR * 1_000;
    const valid = { notBefore: new Date(Date.now() - day), notAfter: new Date(Date.now() + day) };
    receiver = await WebhookReceiver.start(await authority.issue(['127.0.0.1'], valid));
    writeFileSync(join(folder, 'ca.pem'), authority.cert);
    const shared = {
      ...settings,
      DATABASE_URL: postgres.url,
      MASTER_KEY: randomBytes(32).toString('base64'),
      BOOTSTRAP_API_KEY: KEY,
      RDAP_BOOTSTRAP_URL: 'off',
      DNS_SERVERS: 'off',
      WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
      WEBHOOK_CA_FILE: join(folder, 'ca.pem'),
      TIME_SCALE: String(TIME_SCALE),
      LEASE_SECONDS: String(LEASE_SECONDS),
      LOG_LEVEL: 'warn',
      LD_PRELOAD: fakeTimeLibrary(),
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_NO_CACHE: '1',
    };
    for (const machine of MACHINES) {
      setClock(machine, CLOCKS[machine]);
      const port = await freePort();
      metricsPorts.set(machine, port);
      const own = { FAKETIME_TIMESTAMP_FILE: clockFile(machine), METRICS_PORT: String(port) };
      processes.set(machine, await startServiceProcess({ ...shared, ...own }, (line) => lines.push(line)));
    }
  });
  afterAll(async () => {
    await Promise.all([...processes.values()].map((service) => service.kill('SIGKILL')));
    await Promise.all([receiver.close(), postgres.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  async function call(machine: Machine, path: string, body?: object, key = KEY) {
    const answer = await fetch(`${processes.get(machine)?.address}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }

  async function differenceSeconds(machine: Machine): Promise<number> {
    const answer = await fetch(`http://127.0.0.1:${metricsPorts.get(machine)}/metrics`);
    return Number(/^namewatch_clock_difference_seconds (\S+)$/m.exec(await answer.text())?.[1]);
  }

  describe(`machines with different clocks, with the queue on ${queue}`, () => {
    it('check, repeat and sign by the clock of the database', async () => {
      const target = receiver.url();
      const channel = (await call('ahead', '/v1/notifications', { type: 'webhook', target })).body;
      const seen = new Set<string>();
      receiver.answers((reply, { headers }) => {
        const id = String(headers['webhook-id']);
        reply.writeHead(seen.has(id) ? 204 : 500).end(); // each is repeated once
        seen.add(id);
      });
      const names: string[] = [];
      const until = performance.now() + RUN_MS;
      for (let n = 0; performance.now() < until; n += 1) {
        const domain = `clock${n}--expiring.test`;
        const body = { domain, interval_minutes: 5, notify_current: true };
        const { status } = await call(MACHINES[n % MACHINES.length] as Machine, '/v1/watchlist', body);
        expect(status).toBe(201);
        names.push(domain);
        if (n === 10) setClock('unsteady', '-1h');
        if (n === 30) setClock('unsteady', '2026-01-01 00:00:00'); // it stands still
        await pause(RUN_MS / 60); // a client's pace
      }
      const delivered = () =>
        postgres.query<{ n: number }>(`select count(*)::int as n from deliveries where state = 'delivered'`);
      await eventually(delivered, ([row]) => row?.n === names.length, 40_000);

      const { secret } = channel as { secret: string };
      for (const webhook of receiver.received.all) verified(webhook, secret); // refuses signatures of other times
      expect(receiver.received.all).toHaveLength(2 * names.length);
      const [late] = await postgres.query<{ overdue: number; ahead: number; checked: number }>(
        `select max(extract(epoch from now() - next_check_at))::float8 as overdue,
           max(extract(epoch from next_check_at - now()))::float8 as ahead,
           min(extract(epoch from now() - last_checked_at))::float8 as checked from watched_names`,
      );
      expect(late?.overdue).toBeLessThan(INTERVAL_SECONDS);
      expect(late?.ahead).toBeLessThan(2 * INTERVAL_SECONDS);
      expect(late?.checked).toBeGreaterThanOrEqual(0);
      console.info(`${names.length} names, ${receiver.received.all.length} signed attempts, ${JSON.stringify(late)}`);
    });

    it('end a key when its time has come in the database', async () => {
      const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
      const past = await call('behind', '/v1/keys', { name: 'past', expires_at: inSeconds(-60) });
      expect(past.status).toBe(400);
      const { status, body } = await call('ahead', '/v1/keys', { name: 'short', expires_at: inSeconds(3) });
      expect(status).toBe(201);
      const statuses = () =>
        Promise.all(
          MACHINES.map(async (machine) => (await call(machine, '/v1/me', undefined, String(body['key']))).status),
        );
      expect(await statuses()).toEqual([200, 200, 200]);
      await eventually(statuses, (all) => all.every((one) => one === 401), 10_000);
    });

    it('say how far they are off, in a metric and in the log', async () => {
      expect(await differenceSeconds('ahead')).toBeCloseTo(HOUR, 0);
      expect(await differenceSeconds('behind')).toBeCloseTo(-HOUR, 0);
      expect(await differenceSeconds('unsteady')).toBeLessThan(-HOUR);
      const said = lines
        .filter((line) => line.startsWith('{'))
        .map((line) => (JSON.parse(line) as { aheadSeconds?: number }).aheadSeconds);
      expect(said).toEqual(expect.arrayContaining([HOUR, -HOUR]));
    });
  });
}
