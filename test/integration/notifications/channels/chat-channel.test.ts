import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ChatSender } from '../../../../examples/chat-channel/chat-sender.js';
import { SECOND } from '../../../../src/kernel/clock.js';
import { ChannelSenderRegistry } from '../../../../src/notifications/index.js';
import { Arrivals } from '../../../support/fakes/arrivals.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

interface Line {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly said: unknown;
}

let notifications: NotificationService;
let server: Server;
let status = 201;
const lines = new Arrivals<Line>();
beforeAll(async () => {
  server = createServer((request, reply) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      lines.add({ path: request.url, authorization: request.headers.authorization, said: JSON.parse(body) });
      reply.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  notifications = await NotificationService.start();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  notifications.of(ChannelSenderRegistry).register(new ChatSender({ url, token: 't0ken' }));
});
afterAll(async () => {
  await notifications.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const open = (target: string) =>
  notifications.service.call({ method: 'POST', path: '/v1/notifications', body: { type: 'chat', target } });
const state = async () => (await notifications.rows('select state from deliveries'))[0]?.['state'];

describe('a type of channel from an extension', () => {
  it('parses its own targets', async () => {
    expect(await open('no room')).toMatchObject({ status: 422, body: { code: 'target_invalid' } });
    expect(await open('#Domains')).toMatchObject({ status: 201, body: { type: 'chat', target: '#Domains' } });
    expect(await open('#domains')).toMatchObject({ status: 409, body: { code: 'already_notified' } });
  });

  it('is delivered and retried like the others', async () => {
    status = 503;
    const event = notifications.event();
    await notifications.happens(event);
    await notifications.deliverDue();
    expect(await state()).toBe('pending');
    status = 201;
    notifications.advance(7 * SECOND);
    await notifications.deliverDue();
    expect(await state()).toBe('delivered');
    const [first, second] = await lines.waitFor(2);
    const said = { id: event.id, text: 'lapsed.example: pending_delete → available' };
    expect(first).toEqual({ path: '/rooms/domains/messages', authorization: 'Bearer t0ken', said });
    expect(second).toEqual(first);
  });

  it('is listed in the error for an unknown type', async () => {
    const { body } = await notifications.service.call({
      ...{ method: 'POST', path: '/v1/notifications' },
      body: { type: 'fax', target: '1' },
    });
    expect(body['detail']).toContain('chat');
  });
});
