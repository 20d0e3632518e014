import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { generateApiKey } from '../../../src/auth/index.js';
import { askDatabase } from '../../support/database/database.js';
import { running } from '../../support/running.js';
import { serviceDatabase } from '../../support/servers/test-service.js';
import { eventually } from '../../support/eventually.js';
import { FakeRegistry } from '../../world/registry.js';
import { startServiceProcess } from '../../support/servers/service-process.js';
import { rdapRecord } from '../../support/builders/rdap-answers.js';
import { saying } from '../../world/registry-faults.js';
import { WebhookReceiver } from '../../world/receiver.js';

const STARTING = 180_000;
/** Longer than a test may take: what waits for it to pass fails. */
const DRAIN_SECONDS = 600;

/** A deployment does this: SIGTERM to a process in the middle of its work. */
describe('a service process after SIGTERM', () => {
  const key = generateApiKey().text;
  const registry = running(() => FakeRegistry.start());
  const receiver = running(() => WebhookReceiver.startTrusted());
  let settings: Record<string, string>;

  beforeAll(async () => {
    settings = {
      ...receiver.settings,
      DATABASE_URL: await serviceDatabase(),
      MASTER_KEY: randomBytes(32).toString('base64'),
      BOOTSTRAP_API_KEY: key,
      RDAP_BOOTSTRAP_URL: 'off',
      DNS_SERVERS: 'off',
      RDAP_OVERRIDES: `example=${registry.url}`,
      LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
      DRAIN_SECONDS: String(DRAIN_SECONDS),
    };
  }, STARTING);

  const post = (address: string, path: string, body: object) =>
    fetch(`${address}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  it(
    'answers for 4 more seconds, finishes its running lookup and delivery once, and exits with 0',
    async () => {
      const service = await startServiceProcess(settings);
      const opened = await post(service.address, '/v1/notifications', { type: 'webhook', target: receiver.url() });
      expect(opened.status).toBe(201);
      const { promise: answering, resolve: answerAll } = Promise.withResolvers<void>();
      receiver.answers((reply) => void answering.then(() => reply.writeHead(204).end()));
      let asked = false;
      registry.says('slow.example', (reply, name) => {
        asked = true;
        void answering.then(() => saying(200, rdapRecord(name))(reply, name));
      });
      await post(service.address, '/v1/watchlist', { domain: 'expiring.test', notify_current: true });
      await receiver.received.waitFor(1, 20_000);
      const headers = { authorization: `Bearer ${key}` };
      const ended = service.kill('SIGTERM');
      const askedAt = performance.now();
      const isReady = () => fetch(`${service.address}/readyz`);
      await eventually(isReady, ({ status }) => status === 503);
      while (performance.now() - askedAt < 4_000) {
        expect((await post(service.address, '/v1/domains/check', { domains: ['available.test'] })).status).toBe(200);
        await pause(100);
      }
      const answer = fetch(`${service.address}/v1/domains/check?domain=slow.example`, { headers });
      await eventually(() => Promise.resolve(asked), Boolean);
      await pause(5_500 - (performance.now() - askedAt)); // it has begun to stop
      answerAll();
      expect((await answer).status).toBe(200);
      expect(await ended).toBe(0); // not kept by a connection that stays open for this caller's next request
      expect(receiver.received.all).toHaveLength(1);
      const deliveries = await askDatabase(settings['DATABASE_URL'], 'select state from deliveries');
      expect(deliveries).toEqual([{ state: 'delivered' }]);
    },
    STARTING,
  );
});
