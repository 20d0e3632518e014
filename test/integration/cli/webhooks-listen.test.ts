import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { Arrivals } from '../../world/arrivals.js';
import { Listening } from '../../world/listening.js';
import { runInProcess } from '../../support/programs/command-line.js';
import { anEvent } from '../../support/builders/notification-events.js';
import { NotificationService } from '../../support/servers/notification-service.js';

let notifications: NotificationService;
let receiver: Listening;
let env: Record<string, string>;
const received = new Arrivals<{ headers: IncomingHttpHeaders; body: string }>();
beforeAll(async () => {
  notifications = await NotificationService.start();
  await notifications.service.app.listen(0, '127.0.0.1');
  env = { NAMEWATCH_URL: await notifications.service.app.getUrl(), NAMEWATCH_KEY: notifications.service.account.key };
  const server = createServer((request, response) => {
    void text(request).then((body) => received.add({ headers: request.headers, body }));
    request.on('end', () => response.writeHead(204).end());
  });
  receiver = await Listening.on(server);
});
afterAll(async () => {
  await receiver.close();
  await notifications.close();
});

const listen = (...words: string[]) => runInProcess(['webhooks', 'listen', ...words], env);
const url = () => `http://${receiver.host}/hook`;
/** Something happens to a name; gives the cursor before it. */
const afterSomethingHappened = async (...types: string[]) => {
  const { body } = await notifications.service.call({ path: '/v1/events?limit=1000' });
  const about = { accountId: notifications.service.account.id, at: new Date() };
  await notifications.happens(...types.map((type) => anEvent({}, { ...about, type })));
  return (body['meta'] as { next: string }).next;
};

describe('namewatch webhooks listen', () => {
  it('sends a receiver on this machine the bytes and the signature that a webhook brings', async () => {
    const cursor = await afterSomethingHappened('watchlist.available');
    const { code, out, err } = await listen('--after', cursor, '--count', '1', '--forward', url());
    expect(code).toBe(0);
    const secret = /signing with (whsec_\S+)/.exec(err)?.[1] ?? '';
    const [request] = await received.waitFor(1);
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json', 'x-delivery-attempt': '1' });
    const event = new Webhook(secret).verify(request?.body ?? '', request?.headers as Record<string, string>);
    expect(event).toMatchObject({ type: 'watchlist.available', data: { domain: 'lapsed.example' } });
    const [stored] = await notifications.rows('select body from events order by seq desc limit 1');
    expect(request?.body).toBe(stored?.['body']);
    expect(out).toContain('watchlist.available  lapsed.example');
    expect(out).toContain('signature verified');
    expect(out).toMatch(/\/hook answered: 204 in \d+ ms$/);
  });

  it('shows only the requested event types in a channel’s format, and signs with a given secret', async () => {
    const cursor = await afterSomethingHappened('watchlist.check_failing', 'watchlist.available');
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const words = ['--events', 'watchlist.status_changed', '--secret', secret, '--json'];
    const { out } = await listen('--after', cursor, '--count', '1', ...words);
    const shown = JSON.parse(out) as { headers: Record<string, string>; body: string };
    expect(shown).toMatchObject({ cursor: expect.any(String), verified: true, forwarded: null });
    expect(new Webhook(secret).verify(shown.body, shown.headers)).toMatchObject({ type: 'watchlist.available' });
  });

  it('continues when the forward address refuses connections', async () => {
    const cursor = await afterSomethingHappened('watchlist.available');
    const { code, out } = await listen('--after', cursor, '--count', '1', '--forward', 'http://127.0.0.1:1/');
    expect(code).toBe(0);
    expect(out).toMatch(/http:\/\/127\.0\.0\.1:1\/ answered: .+/);
  });

  it.each([
    ['another machine', ['--forward', 'http://192.0.2.1/']],
    ['a name that may be anywhere', ['--forward', 'https://hooks.example.test/']],
    ['an address that is written like loopback', ['--forward', 'http://127.0.0.1.example.test/']],
    ['another scheme', ['--forward', 'file:///tmp/x']],
    ['a type of event that does not exist', ['--events', 'watchlist.gone']],
    ['a secret that is none', ['--secret', 'hunter2']],
  ])('refuses %s before it asks the service', async (_what, words) => {
    expect(await listen(...words)).toMatchObject({ code: 2, out: '' });
  });
});
