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
  it('forwards an event to a local receiver with the bytes and signature of a webhook', async () => {
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

  it('shows only events that match the requested type, and signs with the given secret', async () => {
    const cursor = await afterSomethingHappened('watchlist.check_failing', 'watchlist.available');
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const words = ['--events', 'watchlist.status_changed', '--secret', secret, '--json'];
    const { out } = await listen('--after', cursor, '--count', '1', ...words);
    const shown = JSON.parse(out) as { headers: Record<string, string>; body: string };
    expect(shown).toMatchObject({ cursor: expect.any(String), verified: true, forwarded: null });
    expect(new Webhook(secret).verify(shown.body, shown.headers)).toMatchObject({ type: 'watchlist.available' });
  });

  it('shows the event and exits with 0 if the forward address refuses the connection', async () => {
    const cursor = await afterSomethingHappened('watchlist.available');
    const { code, out } = await listen('--after', cursor, '--count', '1', '--forward', 'http://127.0.0.1:1/');
    expect(code).toBe(0);
    expect(out).toMatch(/http:\/\/127\.0\.0\.1:1\/ answered: .+/);
  });

  it.each([
    ['forwarding to another machine', ['--forward', 'http://192.0.2.1/']],
    ['forwarding to a host name on the internet', ['--forward', 'https://hooks.example.test/']],
    ['forwarding to a host name that begins with 127.0.0.1', ['--forward', 'http://127.0.0.1.example.test/']],
    ['forwarding to a file URL', ['--forward', 'file:///tmp/x']],
    ['an event type that does not exist', ['--events', 'watchlist.gone']],
    ['a malformed secret', ['--secret', 'hunter2']],
  ])('refuses this argument with exit code 2: %s', async (_what, words) => {
    expect(await listen(...words)).toMatchObject({ code: 2, out: '' });
  });
});
