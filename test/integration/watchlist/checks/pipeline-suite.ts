import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { CertificateAuthority } from '../../../support/builders/certificates.js';
import { eventually } from '../../../support/eventually.js';
import { FakeRegistry } from '../../../support/fakes/fake-registry.js';
import { rdapNotFound, rdapRecord } from '../../../support/builders/rdap-answers.js';
import { registryFaults, saying } from '../../../support/fakes/registry-faults.js';
import { startTestService, type TestService } from '../../../support/servers/test-service.js';
import { verified, WebhookReceiver } from '../../../support/fakes/webhook-receiver.js';

const DAY = 86_400_000;
const soon = () => new Date(Date.now() + 10 * DAY);
const far = () => new Date(Date.now() + 300 * DAY);

interface SentEvent {
  readonly type: string;
  readonly data: {
    readonly domain: string;
    readonly move: string | null;
    readonly status: string;
    readonly change_seq: number;
  };
}

/** From the registry's socket to the receiver's, on the queue of the settings. */
export function pipelineSuite(queue: string, settings: () => Readonly<Record<string, string>>): void {
  describe(`a watched name, with the queue on ${queue}`, () => {
    let registry: FakeRegistry;
    let receiver: WebhookReceiver;
    let service: TestService;
    let database: pg.Client;
    const folder = mkdtempSync(join(tmpdir(), 'namewatch-pipeline-'));

    beforeAll(async () => {
      const authority = await CertificateAuthority.create();
      registry = await FakeRegistry.start();
      receiver = await WebhookReceiver.start(await authority.issue(['127.0.0.1']));
      writeFileSync(join(folder, 'ca.pem'), authority.cert);
      service = await startTestService({
        TIME_SCALE: '600', // five minutes take half a second
        RDAP_OVERRIDES: `example=${registry.url}`,
        LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
        WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
        WEBHOOK_CA_FILE: join(folder, 'ca.pem'),
        ...settings(),
      });
      database = new pg.Client(service.databaseUrl);
      await database.connect();
    });
    afterAll(async () => {
      await service.close();
      await Promise.all([registry.stop(), receiver.close(), database.end()]);
      rmSync(folder, { recursive: true, force: true });
    });

    const watch = async (domain: string, key = service.account.key) => {
      const body = { domain, interval_minutes: 5 };
      const answer = await service.call({ method: 'POST', path: '/v1/watchlist', body, key });
      expect(answer.status).toBe(201);
      return String(answer.body['id']);
    };
    const statusOf = async (id: string, key = service.account.key) => {
      const { body } = await service.call({ path: '/v1/watchlist?per_page=100', key });
      const entry = (body['data'] as Record<string, unknown>[]).find((one) => one['id'] === id);
      return entry && { status: entry['status'], isChecked: entry['last_checked_at'] !== null };
    };
    const becomes = (id: string, status: string, key?: string) =>
      eventually(
        () => statusOf(id, key),
        (entry) => entry?.status === status && entry.isChecked,
      );
    const movesOf = async (id: string) => {
      const { rows } = await database.query<{ body: string }>(
        'select body from events where entry_id = $1 order by seq',
        [id],
      );
      // A phase that is seen twice is a change of the registration record as well.
      return rows.map(({ body }) => (JSON.parse(body) as SentEvent).data).filter(({ move }) => move !== null);
    };

    it('sends each change of its lifecycle once, signed and in order', async () => {
      const { key, id: accountId } = await service.openAccount();
      const channel = { type: 'webhook', target: receiver.url(`/${accountId}`) };
      const opened = await service.call({ method: 'POST', path: '/v1/notifications', body: channel, key });
      registry.holds('lapsed.example', { registeredAt: new Date(0), expiresAt: far() });
      const id = await watch('lapsed.example', key);
      await becomes(id, 'registered', key);
      registry.holds('lapsed.example', { registeredAt: new Date(0), expiresAt: soon() });
      await becomes(id, 'expiring', key);
      registry.holds('lapsed.example', { statuses: ['redemptionPeriod', 'pendingDelete'] });
      await becomes(id, 'pending_delete', key);
      registry.releases('lapsed.example');
      await becomes(id, 'available', key);
      registry.holds('lapsed.example', { registeredAt: new Date(), expiresAt: far() });
      await becomes(id, 'registered', key);

      const mine = () => receiver.received.all.filter(({ path }) => path === `/${accountId}`);
      await eventually(
        () => Promise.resolve(mine().length),
        (count) => count >= 4,
      );
      const sent = mine().map((webhook) => verified(webhook, String(opened.body['secret'])) as SentEvent);
      expect(sent.map(({ data }) => [data.change_seq, data.move]).sort()).toEqual([
        [1, 'expiring'],
        [2, 'deletion_started'],
        [3, 'dropped'],
        [4, 'caught'],
      ]);
      expect(await movesOf(id)).toEqual(sent.map(({ data }) => data).sort((a, b) => a.change_seq - b.change_seq));
    });

    it('is checked once for all its watchers', async () => {
      registry.holds('shared.example', { expiresAt: far() });
      const keys = await Promise.all(Array.from({ length: 5 }, async () => (await service.openAccount()).key));
      const ids = await Promise.all(keys.map((key) => watch('shared.example', key)));
      await Promise.all(ids.map((id, i) => becomes(id, 'registered', keys[i])));
      registry.holds('shared.example', { expiresAt: soon() });
      await Promise.all(ids.map((id, i) => becomes(id, 'expiring', keys[i])));
      for (const id of ids) expect(await movesOf(id)).toMatchObject([{ move: 'expiring', change_seq: 1 }]);
      const before = registry.queries('shared.example');
      const queries = async () => registry.queries('shared.example') - before;
      await eventually(queries, (count) => count >= 2);
      // Five watchers with two checks a second each would make ten queries in the time of two.
      expect(await queries()).toBeLessThanOrEqual(3);
    });

    it.each([
      ['html', registryFaults.htmlNotFound],
      ['empty', registryFaults.emptyNotFound()],
      ['other', registryFaults.otherName],
      ['cut', registryFaults.cutOff],
      ['forbidden', registryFaults.forbidden],
    ])('is not moved by a faulty answer: %s', async (label, lie) => {
      const name = `${label}.example`;
      registry.holds(name, { expiresAt: far() });
      const id = await watch(name);
      await becomes(id, 'registered');
      registry.says(name, lie);
      const failing = async () => {
        const { rows } = await database.query<{ failures: number; facts: string }>(
          'select failures, facts from watched_names where domain = $1',
          [name],
        );
        return rows[0];
      };
      const row = await eventually(failing, (one) => (one?.failures ?? 0) > 0);
      expect(JSON.parse(row?.facts ?? '')).toMatchObject({ outcome: 'found' });
      expect(await statusOf(id)).toMatchObject({ status: 'registered' });
      expect(await movesOf(id)).toEqual([]);
    });

    it('is not available while the second check finds it again', async () => {
      registry.holds('blinking.example', { expiresAt: far() });
      const id = await watch('blinking.example');
      await becomes(id, 'registered');
      let answers = 0;
      const before = registry.queries('blinking.example');
      registry.says('blinking.example', (reply, name) => {
        answers += 1;
        const answer = answers % 2 === 1 ? saying(404, rdapNotFound()) : saying(200, rdapRecord(name));
        answer(reply, name);
      });
      await eventually(
        () => Promise.resolve(registry.queries('blinking.example') - before),
        (count) => count >= 6,
      );
      expect(await statusOf(id)).toMatchObject({ status: 'registered' });
      expect(await movesOf(id)).toEqual([]);
    });

    it('moves in the list as soon as a live check finds a change', async () => {
      registry.holds('checked.example', { expiresAt: far() });
      const id = await watch('checked.example');
      await becomes(id, 'registered');
      registry.holds('checked.example', { statuses: ['pending delete'] });
      const check = await service.call({ path: '/v1/domains/check?domain=checked.example&max_age=0' });
      expect(check.body).toMatchObject({ status: 'pending_delete' });
      expect(await statusOf(id)).toMatchObject({ status: 'pending_delete' });
    });

    it('sends nothing after its removal, not even pending deliveries', async () => {
      const { key, id: accountId } = await service.openAccount();
      const closed = `https://127.0.0.1:${receiver.port}/${accountId}`;
      await service.call({ method: 'POST', path: '/v1/notifications', body: { type: 'webhook', target: closed }, key });
      receiver.answers((reply, { path }) => reply.writeHead(path === `/${accountId}` ? 500 : 204).end());
      registry.holds('removed.example', { statuses: ['pending delete'] });
      const id = await watch('removed.example', key);
      await becomes(id, 'pending_delete', key);
      const states = async () => {
        const { rows } = await database.query<{ state: string }>(
          'select state from deliveries d join notification_channels c on c.id = d.channel_id where c.account_id = $1',
          [accountId],
        );
        return rows.map(({ state }) => state);
      };
      expect(await states()).toEqual(['pending']);
      await service.call({ method: 'DELETE', path: `/v1/watchlist/${id}`, key });
      expect(await states()).toEqual(['disabled']);
      receiver.answersWith(204);
    });

    it('is discovered by a new entry when its known facts are too old to start from', async () => {
      registry.holds('known.example', { expiresAt: soon() });
      const first = await watch('known.example');
      await becomes(first, 'expiring');
      await service.call({ method: 'DELETE', path: `/v1/watchlist/${first}` });
      await database.query(
        `update watched_names set facts_confirmed_at = facts_confirmed_at - interval '1 day' where domain = 'known.example'`,
      );
      const second = await watch('known.example');
      await becomes(second, 'expiring');
      expect(await movesOf(second)).toMatchObject([{ move: 'discovered', change_seq: 1 }]);
    });

    it('can be removed and added again during checks without a deadlock', async () => {
      registry.holds('restless.example', { expiresAt: far() });
      const { key } = await service.openAccount();
      const shared = await watch('restless.example');
      const flip = () => registry.holds('restless.example', { expiresAt: Math.random() < 0.5 ? far() : soon() });
      for (let round = 0; round < 15; round += 1) {
        flip();
        const id = await watch('restless.example', key);
        const path = '/v1/domains/check?domain=restless.example&max_age=0';
        const checks = Array.from({ length: 3 }, () => service.call({ path }));
        const removed = await service.call({ method: 'DELETE', path: `/v1/watchlist/${id}`, key });
        expect([removed.status, ...(await Promise.all(checks)).map(({ status }) => status)]).toEqual([
          204, 200, 200, 200,
        ]);
      }
      await service.call({ method: 'DELETE', path: `/v1/watchlist/${shared}` });
    });

    it('is not checked after its last watcher is gone', async () => {
      const id = await watch('left.example');
      await eventually(
        () => Promise.resolve(registry.queries('left.example')),
        (count) => count > 0,
      );
      expect(await service.call({ method: 'DELETE', path: `/v1/watchlist/${id}` })).toMatchObject({ status: 204 });
      const due = await database.query('select next_check_at from watched_names where domain = $1', ['left.example']);
      expect(due.rows).toEqual([{ next_check_at: null }]);
    });
  });
}
