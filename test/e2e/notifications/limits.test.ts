import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnitOfWork } from '../../../src/kernel/unit-of-work.js';
import { PublishEvents } from '../../../src/notifications/events/publish-events.js';
import { CertificateAuthority } from '../../support/builders/certificates.js';
import { anEvent } from '../../support/builders/notification-events.js';
import { eventually } from '../../support/eventually.js';
import { MailCatcher } from '../../support/fakes/mail-catcher.js';
import { FakeRegistry } from '../../support/fakes/fake-registry.js';
import { WebhookReceiver } from '../../support/fakes/webhook-receiver.js';
import { startTestService, type TestService } from '../../support/servers/test-service.js';

const DAY = 86_400_000;

interface Event {
  readonly type: string;
  readonly data: { readonly domain?: string; readonly after?: { readonly name?: string } };
}

/** An hour takes six seconds, and more than one name is many. */
describe('a name whose registrar changes again and again', () => {
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-limits-'));
  let registry: FakeRegistry;
  let receiver: WebhookReceiver;
  let service: TestService;
  beforeAll(async () => {
    const authority = await CertificateAuthority.create();
    registry = await FakeRegistry.start();
    receiver = await WebhookReceiver.start(await authority.issue(['127.0.0.1']));
    receiver.answers((reply) => reply.writeHead(204).end());
    writeFileSync(join(folder, 'ca.pem'), authority.cert);
    service = await startTestService({
      ...{ TIME_SCALE: '600', BRAKE_RECORD_CHANGES_PER_HOUR: '1' },
      ...{ RDAP_OVERRIDES: `example=${registry.url}`, LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8' },
      ...{ WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8', WEBHOOK_CA_FILE: join(folder, 'ca.pem') },
    });
    await post('/v1/notifications', { type: 'webhook', target: receiver.url('/all') });
    for (const domain of ['busy.example', 'quiet.example']) {
      show(domain, 'One');
      await post('/v1/watchlist', { domain, interval_minutes: 5, intent: 'own' });
      await eventually(
        async () => registry.queries(domain),
        (queries) => queries > 2,
      );
    }
  });
  afterAll(async () => {
    await service.close();
    await Promise.all([registry.stop(), receiver.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  const post = (path: string, body: object) => service.call({ method: 'POST', path, body });
  const show = (domain: string, registrar: string) =>
    registry.holds(domain, { expiresAt: new Date(Date.now() + 300 * DAY), registeredAt: new Date(0), registrar });
  const changesOf = (domain: string) =>
    receiver.received.all
      .map(({ body }) => JSON.parse(String(body)) as Event)
      .filter(({ type, data }) => type === 'watchlist.record_changed' && data.domain === domain)
      .map(({ data }) => data.after?.name);

  /** Shows the last of them, and waits for the webhooks about all of them. */
  const shown = async (domain: string, registrars: readonly string[]) => {
    for (const [i, registrar] of registrars.entries()) {
      if (i < changesOf(domain).length) continue;
      show(domain, registrar);
      await eventually(
        async () => changesOf(domain),
        (changes) => changes.length > i,
      );
    }
    expect(changesOf(domain)).toEqual(registrars);
  };

  it('does not hide that of another name', async () => {
    await shown('quiet.example', ['Two']);
    await shown('busy.example', ['Two', 'One', 'Two']);
    await shown('quiet.example', ['Two', 'One']);
  });
});

describe('a mailbox that is flooded with news of one name', () => {
  let relay: MailCatcher;
  let service: TestService;
  beforeAll(async () => {
    relay = await MailCatcher.start();
    service = await startTestService({
      ...{ SMTP_URL: relay.url, MAIL_FROM: 'watch@namewatch.example', PUBLIC_URL: 'https://namewatch.example' },
      NOTIFICATIONS_EMAIL_CONFIRMATION: 'false',
    });
  });
  afterAll(async () => {
    await service.close();
    await relay.close();
  });

  const part = <Part>(token: abstract new (...wants: never[]) => Part): Part =>
    service.app.get<Part>(token, { strict: false });
  const subjects = () => relay.caught.all.map(({ parsed }) => parsed.subject ?? '');

  it('gets at once that another one is available', async () => {
    const post = (path: string, body: object) => service.call({ method: 'POST', path, body });
    await post('/v1/notifications', { type: 'email', target: 'ada@example.com' });
    const renewed = { status: 'registered', phase: 'registered', move: 'renewed' } as const;
    const busy = Array.from({ length: 30 }, () =>
      anEvent(renewed, { type: 'watchlist.status_changed', accountId: service.account.id, at: new Date() }),
    );
    await part(UnitOfWork).run(() => part(PublishEvents).run(busy));
    const states = async () => {
      const { body } = await service.call({ path: '/v1/events?limit=1000' });
      return { events: (body['data'] as unknown[]).length, mails: subjects().length };
    };
    await eventually(states, ({ mails }) => mails >= 5);
    await post('/v1/watchlist', { domain: 'wanted--available.test' });
    await eventually(
      async () => subjects(),
      (all) => all.includes('[Namewatch] wanted--available.test is available'),
    );
    expect(subjects()).toHaveLength(6);
  });
});
