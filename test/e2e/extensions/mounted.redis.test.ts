import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { createRedisBackend, getDefaultBackendFactory } from 'bullmq';
import { generateApiKey } from '../../../src/auth/index.js';
import { askDatabase } from '../../support/database/database.js';
import { running } from '../../support/running.js';
import { ApiDocument } from '../../support/documents/api-document.js';
import { eventually } from '../../support/eventually.js';
import { verified, WebhookReceiver } from '../../world/receiver.js';
import { type HostApplication, type HostKind, startHostApplication } from '../../support/servers/host-application.js';
import { createTestConfig } from '../../support/servers/test-service.js';

const PROBLEM = 'application/problem+json';

const receiver = running(() => WebhookReceiver.startTrusted());

describe.each(['Express', 'Fastify'] satisfies HostKind[])(
  'Namewatch at /names in a Nest application on %s',
  (kind) => {
    const key = generateApiKey().text;
    let host: HostApplication;
    let databaseUrl: string;
    let listeners: readonly number[];

    beforeAll(async () => {
      const { config, databaseUrl: url } = await createTestConfig({
        ...receiver.settings,
        BOOTSTRAP_API_KEY: key,
        PUBLIC_URL: 'https://app.example/',
      });
      databaseUrl = url;
      listeners = countProcessListeners();
      host = await startHostApplication(kind, config);
    });
    afterAll(() => host.app.close());

    const call = (path: string, { headers = {}, ...rest }: RequestInit & { headers?: Record<string, string> } = {}) =>
      fetch(host.url + path, {
        redirect: 'manual',
        ...rest,
        headers: { authorization: `Bearer ${key}`, ...headers },
      });
    const send = (method: string, path: string, body: unknown, type = 'application/json') =>
      call(path, {
        method,
        headers: { 'content-type': type },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
    const json = async (response: Response) => (await response.json()) as Record<string, unknown>;

    it('refuses every operation under /v1 without a key', async () => {
      const document = await json(await fetch(`${host.url}/names/openapi.json`));
      expect(document['servers']).toEqual([{ url: '/names' }]);
      const operations = new ApiDocument(document).operations.filter(({ path }) => path.startsWith('/v1/'));
      expect(operations.length).toBeGreaterThan(20);
      for (const { method, path } of operations) {
        const response = await fetch(`${host.url}/names${path.replaceAll(/\{\w+\}/g, '0')}`, {
          method: method.toUpperCase(),
        });
        expect([method, path, response.status, response.headers.get('content-type')]).toEqual([
          method,
          path,
          401,
          PROBLEM,
        ]);
        expect(await json(response)).toMatchObject({ type: '/names/problems/authentication_required' });
      }
    });

    it('answers 404 to unknown paths below /names, and leaves other paths to the application', async () => {
      const unknown = await call('/names/v2/x?a=b');
      expect([unknown.status, await json(unknown)]).toMatchObject([
        404,
        { code: 'not_found', instance: '/names/v2/x' },
      ]);
      for (const path of ['/v1/watchlist', '/namesake', '/api/names/v1/me', '/livez']) {
        const response = await call(path);
        expect([path, response.status, response.headers.get('content-type')]).not.toEqual([path, 404, PROBLEM]);
        expect(response.status).toBe(404);
      }
    });

    it('leaves the application’s routes, pipes, database and logger as they are', async () => {
      const added = await send('POST', '/api/notes', { text: 'hello' });
      expect([added.status, await json(added)]).toMatchObject([201, { text: 'HELLO' }]);
      expect(await (await call('/api/notes')).json()).toEqual([{ id: 1, text: 'HELLO' }]);
      new Logger('Notes').log('a line of the host');
      expect(host.logLines).toContain('a line of the host');
    });

    it('leaves the application’s own BullMQ queue on Redis', async () => {
      expect(getDefaultBackendFactory()).toBe(createRedisBackend);
      expect(await host.runJob({ to: kind })).toEqual({ to: kind });
    });

    it('checks, watches, lists and imports names, with /names in all links', async () => {
      const check = await call('/names/v1/domains/check?domain=available.test');
      expect([check.status, await json(check)]).toMatchObject([200, { available: true }]);
      const watched = await send('POST', '/names/v1/watchlist', { domain: 'registered.test' });
      expect(watched.status).toBe(201);
      const location = String(watched.headers.get('location'));
      expect(location).toMatch(/^\/names\/v1\/watchlist\/wl_/);
      const entry = await call(location);
      expect(await json(entry)).toMatchObject({ domain: 'registered.test' });
      const again = await call(location, { headers: { 'if-none-match': String(entry.headers.get('etag')) } });
      expect([again.status, await again.text()]).toEqual([304, '']);
      const imported = await send('POST', '/names/v1/watchlist/import', 'domain\none.test\ntwo.test\n', 'text/csv');
      expect(await json(imported)).toMatchObject({ created: 2 });
      const list = await call('/names/v1/watchlist?per_page=2');
      expect(await json(list)).toMatchObject({ meta: { total: 3 } });
      expect(list.headers.get('link')).toContain('</names/v1/watchlist?per_page=2&page=2>; rel="next"');
      const head = await call('/names/v1/watchlist', { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
    });

    it('shows its documentation at /names/docs', async () => {
      const [root, page] = [await call('/names'), await (await call('/names/docs')).text()];
      expect([root.status, root.headers.get('location')]).toEqual([302, '/names/docs']);
      expect(page).toContain('/names/docs/colour-scheme.js');
      const asset = /(?:src|href)="\.\/docs\/([^"]+\.(?:js|css))"/.exec(page)?.[1] ?? '';
      expect((await call(`/names/docs/${asset}`)).status).toBe(200);
    });

    it('signs people in with a cookie for /names/, whatever cookies the application has', async () => {
      const started = await send('POST', '/names/v1/sessions', undefined);
      const [cookie = '', ...attributes] = String(started.headers.get('set-cookie')).split('; ');
      expect(attributes).toEqual(expect.arrayContaining(['Path=/names/', 'HttpOnly', 'Secure']));
      const theirs = 'sid=1; namewatch=theirs; __Host-namewatch=theirs; broken="; =; %E0%A4%A';
      const read = async (path: string, cookies: string, site: Record<string, string>) => {
        const response = await fetch(host.url + path, { headers: { cookie: cookies, ...site } });
        return [response.status, await json(response)];
      };
      const [own, other] = [{ 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'same-site' }];
      expect(await read('/names/v1/me', `${theirs}; ${cookie}`, own)).toMatchObject([200, { key: {} }]);
      expect(await read('/names/v1/me', `${theirs}; ${cookie}`, other)).toMatchObject([403, {}]);
      expect(await read('/names/v1/me', theirs, own)).toMatchObject([401, { code: 'authentication_required' }]);
      expect(await read('/api/notes', `${theirs}; ${cookie}`, other)).toMatchObject([200, [{ text: 'HELLO' }]]);
    });

    it('opens an event stream and delivers events to webhooks', async () => {
      const stream = await call('/names/v1/events/stream');
      expect(stream.headers.get('content-type')).toContain('text/event-stream');
      const opened = await json(
        await send('POST', '/names/v1/notifications', { type: 'webhook', target: receiver.url() }),
      );
      const before = receiver.received.all.length;
      await send('POST', `/names/v1/notifications/${String(opened['id'])}/test`, {});
      const webhook = (await receiver.received.waitFor(before + 1))[before];
      expect(webhook && verified(webhook, String(opened['secret']))).toMatchObject({ type: 'channel.test' });
      const reader = stream.body?.getReader();
      const chunk = await reader?.read();
      expect(Buffer.from(chunk?.value ?? []).toString()).toMatch(/^retry: \d+$/m);
      await reader?.cancel();
    });

    it('answers raw, malformed and aborted requests as the standalone server does', async () => {
      const watch = '{"domain":"continued.test"}';
      const expecting = `${post}Content-Length: ${watch.length}\r\nExpect: 100-continue\r\n\r\n${watch}`;
      const twoHosts = 'GET /names/livez HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n';
      const absolute = `GET http://x/names/livez HTTP/1.1\r\nHost: x\r\n\r\n`;
      const socket = connect(port(), '127.0.0.1');
      socket.write(expecting + absolute + twoHosts);
      const answers = await text(socket);
      expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual([
        'HTTP/1.1 100',
        'HTTP/1.1 201',
        'HTTP/1.1 200',
        'HTTP/1.1 400',
      ]);
      expect(answers).toContain('exactly one Host header');
      const aborted = connect(port(), '127.0.0.1');
      aborted.write(`${post}Content-Length: 1000\r\n\r\n{`, () => aborted.destroy());
      await once(aborted, 'close');
      expect((await call('/names/livez')).status).toBe(200);
    });

    it('finishes open requests, refuses new ones and disconnects from the database when the application closes', async () => {
      const stream = await call('/names/v1/events/stream');
      const slow = connect(port(), '127.0.0.1');
      const received = text(slow);
      const watch = '{"domain":"late.test"}';
      slow.write(`${post}Content-Length: ${watch.length}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`);
      await once(slow, 'data'); // 100 Continue
      expect(countProcessListeners()).toEqual(listeners);
      const closed = host.app.close();
      const refused = await eventually(
        () => call('/names/v1/me'),
        ({ status }) => status === 503,
      );
      expect(await json(refused)).toMatchObject({ code: 'not_ready' });
      slow.write(watch);
      expect(await received).toContain('HTTP/1.1 201');
      await closed;
      expect(await stream.text()).not.toContain('not_ready');
      await eventually(
        () => connectionsTo(databaseUrl),
        (count) => count === 0,
      );
    });

    const port = () => Number(new URL(host.url).port);
    const head = `Host: x\r\nAuthorization: Bearer ${key}\r\n`;
    const post = `POST /names/v1/watchlist HTTP/1.1\r\n${head}Content-Type: application/json\r\n`;
  },
);

const countProcessListeners = () =>
  ['SIGTERM', 'SIGINT', 'uncaughtException', 'unhandledRejection', 'exit'].map((name) => process.listenerCount(name));

/** Everything that the host sends until it closes the connection. */
function text(socket: Socket): Promise<string> {
  let received = '';
  socket.on('data', (chunk) => (received += chunk.toString()));
  return once(socket, 'close').then(() => received);
}

async function connectionsTo(databaseUrl: string): Promise<number> {
  const { href } = Object.assign(new URL(databaseUrl), { pathname: '/postgres' });
  const name = new URL(databaseUrl).pathname.slice(1);
  return (await askDatabase(href, 'select from pg_stat_activity where datname = $1', [name])).length;
}
