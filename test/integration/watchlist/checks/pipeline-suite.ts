import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CertificateAuthority } from '../../../support/builders/certificates.js';
import { eventually } from '../../../support/eventually.js';
import { runService } from '../run-service.js';
import { verified, WebhookReceiver } from '../../../world/receiver.js';

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
export function pipelineSuite(queue: string, settings: Readonly<Record<string, string>>): void {
  describe(`a watched name, with the job queue in ${queue}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'namewatch-pipeline-'));
    let receiver: WebhookReceiver;
    const { running, call, query } = runService(async () => {
      const authority = await CertificateAuthority.create();
      receiver = await WebhookReceiver.start(await authority.issue(['127.0.0.1']));
      writeFileSync(join(folder, 'ca.pem'), authority.cert);
      return {
        TIME_SCALE: '600', // five minutes take half a second
        WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
        WEBHOOK_CA_FILE: join(folder, 'ca.pem'),
        ...settings,
      };
    });
    afterAll(async () => {
      await receiver.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const watch = async (domain: string, key = running.service.account.key, settings: object = {}) => {
      const body = { domain, interval_minutes: 5, ...settings };
      const answer = await call({ method: 'POST', path: '/v1/watchlist', body, key });
      expect(answer.status).toBe(201);
      return String(answer.body['id']);
    };
    const statusOf = async (id: string, key = running.service.account.key) => {
      const { body } = await call({ path: '/v1/watchlist?per_page=100', key });
      const entry = (body['data'] as Record<string, unknown>[]).find((one) => one['id'] === id);
      return entry && { status: entry['status'], isChecked: entry['last_checked_at'] !== null };
    };
    const becomes = (id: string, status: string, key?: string) =>
      eventually(
        () => statusOf(id, key),
        (entry) => entry?.status === status && entry.isChecked,
      );
    const movesOf = async (id: string) => {
      const { rows } = await query<{ body: string }>('select body from events where entry_id = $1 order by seq', [id]);
      // A phase that is seen twice is a change of the registration record as well.
      return rows.map(({ body }) => (JSON.parse(body) as SentEvent).data).filter(({ move }) => move !== null);
    };

    it('causes one signed webhook message for each step of its lifecycle', async () => {
      const { key, id: accountId } = await running.service.openAccount();
      const channel = { type: 'webhook', target: receiver.url(`/${accountId}`) };
      const opened = await call({ method: 'POST', path: '/v1/notifications', body: channel, key });
      running.registry.holds('lapsed.example', { registeredAt: new Date(0), expiresAt: far() });
      const id = await watch('lapsed.example', key);
      await becomes(id, 'registered', key);
      running.registry.holds('lapsed.example', { registeredAt: new Date(0), expiresAt: soon() });
      await becomes(id, 'expiring', key);
      running.registry.holds('lapsed.example', { statuses: ['redemptionPeriod', 'pendingDelete'] });
      await becomes(id, 'pending_delete', key);
      running.registry.releases('lapsed.example');
      await becomes(id, 'available', key);
      running.registry.holds('lapsed.example', { registeredAt: new Date(), expiresAt: far() });
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

    it('is checked once for all accounts that watch it', async () => {
      running.registry.holds('shared.example', { expiresAt: far() });
      const keys = await Promise.all(Array.from({ length: 5 }, async () => (await running.service.openAccount()).key));
      const ids = await Promise.all(keys.map((key) => watch('shared.example', key)));
      await Promise.all(ids.map((id, i) => becomes(id, 'registered', keys[i])));
      running.registry.holds('shared.example', { expiresAt: soon() });
      await Promise.all(ids.map((id, i) => becomes(id, 'expiring', keys[i])));
      for (const id of ids) expect(await movesOf(id)).toMatchObject([{ move: 'expiring', change_seq: 1 }]);
      const before = running.registry.queries('shared.example');
      const queries = async () => running.registry.queries('shared.example') - before;
      await eventually(queries, (count) => count >= 2);
      // Five watchers with two checks a second each would make ten queries in the time of two.
      expect(await queries()).toBeLessThanOrEqual(3);
    });

    it('has its pending deliveries cancelled when it is removed', async () => {
      const { key, id: accountId } = await running.service.openAccount();
      const closed = `https://127.0.0.1:${receiver.port}/${accountId}`;
      await call({ method: 'POST', path: '/v1/notifications', body: { type: 'webhook', target: closed }, key });
      receiver.answers((reply, { path }) => reply.writeHead(path === `/${accountId}` ? 500 : 204).end());
      running.registry.holds('removed.example', { statuses: ['pending delete'] });
      const id = await watch('removed.example', key, { notify_current: true });
      await becomes(id, 'pending_delete', key);
      const states = async () => {
        const { rows } = await query<{ state: string }>(
          'select state from deliveries d join notification_channels c on c.id = d.channel_id where c.account_id = $1',
          [accountId],
        );
        return rows.map(({ state }) => state);
      };
      expect(await states()).toEqual(['pending']);
      await call({ method: 'DELETE', path: `/v1/watchlist/${id}`, key });
      expect(await states()).toEqual(['disabled']);
      receiver.answersWith(204);
    });

    it('can be removed and added again during checks without a deadlock', async () => {
      running.registry.holds('restless.example', { expiresAt: far() });
      const { key } = await running.service.openAccount();
      const shared = await watch('restless.example');
      const flip = () =>
        running.registry.holds('restless.example', { expiresAt: Math.random() < 0.5 ? far() : soon() });
      for (let round = 0; round < 15; round += 1) {
        flip();
        const id = await watch('restless.example', key);
        const path = '/v1/domains/check?domain=restless.example&max_age=0';
        const checks = Array.from({ length: 3 }, () => call({ path }));
        const removed = await call({ method: 'DELETE', path: `/v1/watchlist/${id}`, key });
        expect([removed.status, ...(await Promise.all(checks)).map(({ status }) => status)]).toEqual([
          204, 200, 200, 200,
        ]);
      }
      await call({ method: 'DELETE', path: `/v1/watchlist/${shared}` });
    });
  });
}
