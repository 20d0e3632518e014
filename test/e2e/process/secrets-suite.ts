import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { generateApiKey } from '../../../src/auth/index.js';
import { eventually } from '../../support/eventually.js';
import { running } from '../../support/running.js';
import { serviceDatabase } from '../../support/servers/test-service.js';
import { MailCatcher } from '../../world/mailbox.js';
import { type ServiceProcess, startServiceProcess } from '../../support/servers/service-process.js';
import { dumpDatabase, leaksIn, redisCommands } from '../../support/database/dump-database.js';
import { WebhookReceiver } from '../../world/receiver.js';

const STARTING = 180_000;
const canary = (name: string) => `canary-${name}-${randomBytes(12).toString('hex')}`;

/** One run of the whole service with secrets of every kind, and what it leaves behind. */
export function secretsSuite(queue: string, settings: () => Readonly<Record<string, string>>): void {
  describe(`secrets, with the job queue in ${queue}`, () => {
    const key = generateApiKey().text;
    const [password, header, repeatedKey] = [canary('smtp'), canary('header'), canary('idempotency-key')];
    /** The token in a webhook's URL: only the account may read it. */
    const target = canary('target');
    /** Of a channel type of an extension. */
    const chat = { token: canary('chat'), credential: canary('credential'), replaced: canary('replaced') };
    const secrets: Record<string, string> = { key, password, header, repeatedKey, ...chat };
    const logs: string[] = [];
    const refusals: string[] = [];
    const shown: string[] = [];
    let databaseUrl: string;
    let service: ServiceProcess;
    let relay: MailCatcher;
    const receiver = running(() => WebhookReceiver.startTrusted());
    const chatServer = running(() => receiver.another());
    let folder: string;
    let redis: Awaited<ReturnType<typeof redisCommands>> | null = null;

    beforeAll(async () => {
      const { REDIS_URL } = settings();
      if (REDIS_URL !== undefined) redis = await redisCommands(REDIS_URL);
      relay = await MailCatcher.start({ login: { user: 'namewatch', password } });
      folder = await mkdtemp(join(tmpdir(), 'namewatch-secrets-'));
      await writeFile(join(folder, 'chat.mjs'), chatExtension());
      databaseUrl = await serviceDatabase(settings());
      secrets['masterKey'] = randomBytes(32).toString('base64');
      const environment = {
        DATABASE_URL: databaseUrl,
        MASTER_KEY: secrets['masterKey'],
        BOOTSTRAP_API_KEY: key,
        RDAP_BOOTSTRAP_URL: 'off',
        DNS_SERVERS: 'off',
        LOG_LEVEL: 'trace',
        LOG_FORMAT: 'json',
        ...receiver.settings,
        SMTP_URL: relay.url.replace('//', `//namewatch:${password}@`),
        MAIL_FROM: 'alerts@namewatch.example',
        EXTENSIONS: join(folder, 'chat.mjs'),
        PUBLIC_URL: 'https://namewatch.example',
        NOTIFICATIONS_EMAIL_CONFIRMATION: 'true',
        ...settings(),
      };
      service = await startServiceProcess(environment, (line) => logs.push(line));
      await useEverything();
    }, STARTING);
    afterAll(async () => {
      redis?.close();
      await service.kill('SIGINT');
      await Promise.all([relay.close(), rm(folder, { recursive: true })]);
    }, STARTING);

    const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${service.address}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (answer.status >= 400) refusals.push(`${[...answer.headers].join('\n')}\n${text}`);
      return {
        status: answer.status,
        text,
        body: (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, string>,
      };
    };
    const tokenIn = async (mail: number, path: string) => {
      const mails = await relay.caught.waitFor(mail, 20_000);
      return (
        new RegExp(`https://namewatch\\.example/${path}/(\\S+)`).exec(mails[mail - 1]?.parsed.text ?? '')?.[1] ?? ''
      );
    };

    const useEverything = async () => {
      const webhook = { type: 'webhook', target: receiver.url(`/hooks/${target}`), headers: { 'x-token': header } };
      const repeated = { 'idempotency-key': repeatedKey };
      const opened = (await call('POST', '/v1/notifications', webhook, repeated)).body;
      expect((await call('POST', '/v1/notifications', webhook, repeated)).body).toEqual(opened); // kept, and sealed
      secrets['webhook'] = String(opened['secret']);
      const rotated = await call('POST', `/v1/notifications/${opened['id']}/rotate-secret`);
      secrets['rotated'] = String(rotated.body['secret']);
      secrets['another key'] = String((await call('POST', '/v1/keys', { name: 'another' })).body['key']);
      await call('POST', '/v1/notifications', { type: 'email', target: 'ada@example.com' });
      secrets['confirm'] = await tokenIn(1, 'confirm');
      await call('POST', `/confirm/${secrets['confirm']}`);
      receiver.answersWith(500, {}, 'not now');
      await useChat();
      await call('POST', '/v1/watchlist', { domain: 'available.test', notify_current: true });
      secrets['unsubscribe'] = await tokenIn(2, 'u');
      await receiver.received.waitFor(1);
      await chatServer.received.waitFor(2);
      relay.refusals = { mailFrom: { code: 550, text: 'not today' } };
      // A confirmation waits for no company, as the next message to the same person would.
      await call('POST', '/v1/notifications', { type: 'email', target: 'bob@example.com' });
      await call('POST', '/v1/watchlist', { domain: 'reserved.test', notify_current: true });
      await receiver.received.waitFor(2);
      await beRefused(String(opened['id']));
      await call('POST', `/u/${secrets['unsubscribe']}`);
      await eventually(
        () => Promise.resolve(logs),
        (lines) => lines.some((line) => line.includes('The mail relay is unavailable')),
      );
    };
    /** Its server repeats every request, and its sender repeats what it does not understand. */
    const useChat = async () => {
      chatServer.answers((reply, { path, headers }) => reply.writeHead(500).end(JSON.stringify({ path, headers })));
      const body = { type: 'chat', target: chatServer.url(`/rooms/${chat.token}`), credential: chat.credential };
      const repeated = { 'idempotency-key': 'chat' };
      const { id } = (await call('POST', '/v1/notifications', body, repeated)).body;
      expect((await call('POST', '/v1/notifications', body, repeated)).body['id']).toBe(id);
      await call('POST', `/v1/notifications/${id}/test`);
      await chatServer.received.waitFor(1);
      expect((await call('PATCH', `/v1/notifications/${id}`, { credential: chat.replaced })).status).toBe(200);
      await call('PATCH', `/v1/notifications/${id}`, { credential: `${chat.replaced} rejected` });
      await call('POST', '/v1/notifications', body);
      await call('POST', '/v1/notifications', { ...body, target: `not ${body.target}` });
      await call('POST', '/v1/notifications', { ...body, target: `${body.target}/bug` });
      shown.push((await call('GET', '/v1/notifications')).text, (await call('GET', `/v1/notifications/${id}`)).text);
    };
    /** Secrets where they do not belong, and in requests that are refused. */
    const beRefused = async (webhookId: string) => {
      const { unsubscribe, confirm } = secrets;
      await call('GET', `/v1/watchlist?api_key=${key}`);
      await call('DELETE', `/v1/keys/${key}`);
      await call('GET', `/v1/watchlist/${secrets['webhook']}`);
      await call('GET', `/${key}/${encodeURIComponent(secrets['rotated'] ?? '')}`);
      await call('GET', '/v1/nothing', undefined, { cookie: `session=${header}`, referer: `https://x.test/?k=${key}` });
      await call('POST', '/v1/watchlist', { token: header }, { 'idempotency-key': repeatedKey });
      await call('GET', '/v1/me', undefined, { authorization: `Basic ${btoa(`x:${key}`)}` });
      await call('GET', '/v1/me', undefined, { authorization: `Bearer ${key.slice(0, -1)}_`, 'x-api-key': key });
      await call('POST', '/v1/notifications', `{"type": "webhook", "headers": {"x-token": "${header}"`);
      await call('PATCH', `/v1/notifications/${webhookId}`, { headers: { host: header } });
      await call('PATCH', `/v1/notifications/${webhookId}`, { headers: { 'x-token': `${header}\n` } });
      await call('POST', '/v1/notifications', { type: 'webhook', target: `https://a:${header}@hooks.example.test/` });
      for (const path of [`/u/${unsubscribe}`, `/confirm/${confirm}`]) {
        await call('DELETE', path);
        await call('GET', `${path}/more`);
      }
      await call('GET', `/u/${confirm}`);
    };

    it('all exist before the following tests search for them', () => {
      expect(Object.values(secrets).filter((secret) => secret.length < 20 || secret === 'undefined')).toEqual([]);
      expect(receiver.received.all[0]?.headers).toMatchObject({ 'x-token': header });
      expect(refusals.length).toBeGreaterThanOrEqual(12);
    });

    it('do not appear in the logs, even at log level trace', () => {
      const text = logs.join('\n');
      for (const sign of [
        'a delivery attempt failed',
        'The mail relay is unavailable',
        '"path":"/u/…"',
        '"path":"/confirm/…"',
      ])
        expect(text).toContain(sign);
      expect(leaksIn(text, secrets)).toEqual([]);
    });

    it('do not appear in logs, errors or SQL statements if part of a webhook URL', async () => {
      const database = new pg.Client(databaseUrl);
      await database.connect();
      await database.query('create table statements (text text)');
      await database.query(`create function fail() returns trigger language plpgsql as $$ begin
        insert into statements values (current_query());
        if new.target like '%broken%' then new.type := null; end if;
        return new; end $$`);
      await database.query(
        'create trigger fail before insert on notification_channels for each row execute function fail()',
      );
      for (const path of [`/hooks/whole-${target}`, `/hooks/broken-${target}`])
        await call('POST', '/v1/notifications', { type: 'webhook', target: receiver.url(path) });
      await call('POST', '/v1/notifications', { type: 'webhook', target: `http://hooks.example.test/${target}` });
      const { rows } = await database.query<{ text: string }>('select text from statements');
      await database.query('drop trigger fail on notification_channels');
      await database.query('drop table statements');
      await database.end();
      expect(rows).not.toEqual([]);
      expect(refusals.join('\n')).toContain('"code":"internal_error"');
      const texts = { logs: logs.join('\n'), refusals: refusals.join('\n'), statements: JSON.stringify(rows) };
      for (const [where, text] of Object.entries(texts))
        expect([where, leaksIn(text, { target })]).toEqual([where, []]);
    });

    it('do not appear in a dump of the database', async () => {
      const text = await dumpDatabase(databaseUrl);
      for (const sign of ['ada@example.com', 'available.test', 'notification_channels', 'delivery_attempts'])
        expect(text).toContain(sign);
      expect(leaksIn(text, secrets)).toEqual([]);
    });

    it('reach the receiver of a channel, but do not appear in API answers about the channel', () => {
      expect(chatServer.received.all[0]).toMatchObject({
        path: `/rooms/${chat.token}`,
        headers: { authorization: `Bearer ${chat.credential}` },
      });
      expect(shown.join('\n')).toContain('"target":"127.0.0.1/…"');
      expect(leaksIn(shown.join('\n'), chat)).toEqual([]);
    });

    it('do not appear in error answers', () => {
      expect(leaksIn(refusals.join('\n'), secrets)).toEqual([]);
    });

    it('do not appear in the commands sent to Redis, if Redis is used', () => {
      const text = redis?.text() ?? 'evalsha';
      expect(text.toLowerCase()).toContain('evalsha');
      expect(leaksIn(text, secrets)).toEqual([]);
    });

    it('are found by the search of these tests if a text contains one', () => {
      for (const [name, secret] of Object.entries(secrets))
        for (const spelling of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
          expect(leaksIn(`"x": "${spelling}"`, secrets)).toContain(name);
    });
  });
}

/** The source of an extension, with a channel type of the worst kind: a secret target, a credential, and errors that repeat both. */
function chatExtension(): string {
  const kit = pathToFileURL(join(import.meta.dirname, '../../../dist/kit.js')).href;
  return `import { CredentialInvalid, defineExtension, HttpChannelSender } from '${kit}';
    class ChatSender extends HttpChannelSender {
      type = 'chat';
      secret = 'account';
      hasSecretTarget = true;
      example = { target: 'https://chat.example.test/rooms/Example-Example', about: 'Lines in a room' };
      parseTarget(text) {
        if (text.endsWith('bug')) throw new TypeError('cannot read ' + text);
        return super.parseTarget(text);
      }
      parseCredential(text) {
        if (text.includes(' ')) throw new CredentialInvalid(text + ' has a space');
        return text;
      }
      toRequest({ channel, event }) {
        return { url: channel.target, headers: { authorization: 'Bearer ' + channel.credential }, body: event.body };
      }
    }
    export default defineExtension({ name: 'chat', compatibility: '*', channelSenders: [ChatSender] });`;
}
