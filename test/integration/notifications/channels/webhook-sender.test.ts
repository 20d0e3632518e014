import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Message } from '../../../../src/notifications/domain/channel-sender.js';
import { aMessage, anEvent } from '../../../support/builders/notification-events.js';
import { verified, type WebhookReceiver } from '../../../world/receiver.js';
import { unanswered, WebhookSending } from '../../../support/servers/webhook-sending.js';

let sending: WebhookSending;
beforeAll(async () => {
  sending = await WebhookSending.prepare();
});
afterEach(() => sending.close());

const sendTo = (receiver: WebhookReceiver, changes: Parameters<typeof aMessage>[1] = {}) =>
  sending.aSender().send(aMessage(receiver.url(), changes));

describe('a webhook', () => {
  it('is sent as one signed POST with the event’s exact bytes', async () => {
    const receiver = await sending.aReceiver();
    const message = aMessage(receiver.url(), { event: anEvent({ domain_unicode: 'münchen.example' }), attempt: 3 });
    expect(await sending.aSender().send(message)).toMatchObject({
      outcome: 'ok',
      responseStatus: 204,
      responseExcerpt: null,
    });
    const [received] = await receiver.received.waitFor(1);
    expect(received).toMatchObject({ method: 'POST', path: '/hook' });
    expect(received?.body.toString()).toBe(message.event.body);
    expect(received?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(message.event.body)),
      'user-agent': expect.stringMatching(/^namewatch\/\d+\.\d+\.\d+/) as unknown,
      'webhook-id': message.event.id,
      'x-delivery-id': message.deliveryId,
      'x-delivery-attempt': '3',
    });
    if (received)
      expect(verified(received, message.channel.secrets[0]?.text ?? '')).toMatchObject({ id: message.event.id });
  });

  it.each([200, 201, 202, 299])('counts as accepted when the receiver answers %i', async (status) => {
    const receiver = await sending.aReceiver();
    receiver.answersWith(status, {}, 'thank you');
    const taken = { outcome: 'ok', responseStatus: status, responseExcerpt: 'thank you' };
    expect(await sendTo(receiver)).toMatchObject(taken);
  });
});

describe.each([undefined, 'POST', 'PUT', 'PATCH'] as const)('a request of an extension by method %s', (method) => {
  const request = (url: string) => ({
    ...(method && { method }),
    url,
    headers: { 'content-type': 'text/plain' },
    body: 'münchen.example is free',
    channelId: 'nc_1',
    timeoutMs: 5_000,
  });

  it('arrives once, with its body', async () => {
    const receiver = await sending.aReceiver();
    receiver.answersWith(200, {}, 'thank you');
    const reply = { status: 200, excerpt: 'thank you', retryAfterMs: null };
    expect(await sending.aClient().send(request(receiver.url()))).toEqual({ reply });
    const [received, ...more] = await receiver.received.waitFor(1);
    expect([received?.method, received?.body.toString(), more]).toEqual([
      method ?? 'POST',
      'münchen.example is free',
      [],
    ]);
  });

  it.each([301, 303, 307, 308])('follows no redirect with status %i', async (status) => {
    const [receiver, elsewhere] = [await sending.aReceiver(), await sending.aReceiver()];
    receiver.answersWith(status, { location: elsewhere.url() });
    expect(await sending.aClient().send(request(receiver.url()))).toMatchObject({ reply: { status } });
    expect(elsewhere.received.all).toEqual([]);
  });
});

describe('a webhook to a faulty receiver', () => {
  it('times out when the response headers arrive too slowly', async () => {
    const receiver = await sending.aReceiver();
    let drips: NodeJS.Timeout | undefined;
    receiver.answers((reply) => {
      reply.socket?.write('HTTP/1.1 200 OK\r\n');
      drips = setInterval(() => reply.socket?.write('x-drip: 1\r\n'), 20);
    });
    expect(await sendTo(receiver, { timeoutMs: 300 })).toMatchObject(unanswered('timeout'));
    clearInterval(drips);
  });

  it('reads only the start of a gigabyte answer, then closes the connection', async () => {
    const receiver = await sending.aReceiver();
    const chunk = Buffer.alloc(64 * 1_024, 'x');
    let sent = 0;
    receiver.answers((reply) => {
      reply.writeHead(200);
      const more = () => {
        while (sent < 1_024 ** 3 && !reply.destroyed) {
          sent += chunk.length;
          if (!reply.write(chunk)) return void reply.once('drain', more);
        }
        reply.end();
      };
      more();
    });
    const before = process.memoryUsage().rss;
    const outcome = await sendTo(receiver);
    expect(outcome).toMatchObject({ outcome: 'ok', responseStatus: 200 });
    expect(outcome.responseExcerpt).toHaveLength(4_096);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1_024 ** 2);
    expect(sent).toBeLessThan(64 * 1_024 ** 2);
  });

  it('fails with outcome "connect" when the port is closed', async () => {
    const receiver = await sending.aReceiver();
    const url = receiver.url();
    await sending.close();
    expect(await sending.aSender().send(aMessage(url))).toMatchObject(unanswered('connect'));
  });

  it('fails with outcome "tls" when the receiver speaks plain text', async () => {
    const server = createTcpServer((socket) => socket.resume().end('HTTP/1.1 200 OK\r\n\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    sending.closeAfterwards(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as AddressInfo;
    expect(await sending.aSender().send(aMessage(`https://127.0.0.1:${port}/`))).toMatchObject(unanswered('tls'));
  });

  it('fails with outcome "dns" when the host name does not exist', async () => {
    expect(await sending.aSender().send(aMessage('https://unknown.invalid/'))).toMatchObject(unanswered('dns'));
  });
});

describe('the connections of a channel', () => {
  it('are reused by the next webhook, but not shared with another channel', async () => {
    const receiver = await sending.aReceiver();
    const sender = sending.aSender();
    const message: Message = aMessage(receiver.url());
    await sender.send(message);
    await setImmediate(); // for the answer to be over
    await sender.send(message);
    expect(receiver.connections).toBe(1);
    await sender.send({ ...message, channel: { ...message.channel, id: 'nc_other' } });
    expect(receiver.connections).toBe(2);
  });
});
