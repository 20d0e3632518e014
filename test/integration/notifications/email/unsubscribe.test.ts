import { describe, expect, it } from '@jest/globals';
import { SecretBox } from '../../../../src/platform/crypto/secret-box.js';
import { aMailReader, mailVia } from '../../../support/servers/mail-reader.js';
import { MailCatcher } from '../../../world/mailbox.js';
import { running } from '../../../support/running.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

/** The purpose of a sealed link. */
const UNSUBSCRIBE = 'a link to unsubscribe';
const relay = running(() => MailCatcher.start());
const notifications = running(() =>
  NotificationService.start({
    ...mailVia(relay),
    NOTIFICATIONS_EMAIL_CONFIRMATION: 'false',
    PUBLIC_URL: 'https://namewatch.example/',
  }),
);

const aReader = (address?: string) => aMailReader(notifications, relay, address);
const visit = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
  notifications.service.call({ method, path, key: null, headers, ...(body === undefined ? {} : { body }) });
const readState = async (channel: string) =>
  (await notifications.rows('select active, reason from notification_channels where id = $1', [channel]))[0];
const html = { accept: 'text/html,application/xhtml+xml' };

describe('a mail', () => {
  it('has the same unsubscribe link in its headers, its text part and its HTML part', async () => {
    const { mail, path } = await aReader();
    expect(path).toMatch(/^\/u\/[\w.-]{60,}$/);
    expect(mail?.raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
    for (const part of [mail?.parsed.text, mail?.parsed.html])
      expect(part).toContain(`https://namewatch.example${path}`);
  });
});

describe('every link of a mail', () => {
  it('opens a web page, not an API answer, and needs no API key', async () => {
    const { mail } = await aReader();
    const inText = mail?.parsed.text?.match(/https:\/\/\S+/g) ?? [];
    const inHtml = [...(mail?.parsed.html?.matchAll(/href="([^"]+)"/g) ?? [])].map(([, url = '']) => url);
    expect(inHtml.length).toBeGreaterThan(0);
    for (const url of new Set([...inText, ...inHtml])) {
      const { status, headers } = await visit('GET', new URL(url).pathname, html);
      expect([url, [200, 302, 303, 307, 308].includes(status)]).toEqual([url, true]);
      if (status === 200) expect([url, headers['content-type']]).toEqual([url, 'text/html; charset=utf-8']);
    }
  });
});

describe('the unsubscribe link of a mail', () => {
  it('shows a button, and changes nothing, when a mail scanner opens it', async () => {
    const { channel, path } = await aReader();
    for (const method of ['GET', 'HEAD']) expect((await visit(method, path, html)).status).toBe(200);
    const page = await visit('GET', path);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.body['text']).toContain('<form method="post"><button>Unsubscribe</button>');
    expect(await readState(channel)).toEqual({ active: true, reason: null });
  });

  it('opens a page that loads nothing, runs no scripts, cannot be framed and sends no referrer', async () => {
    const { path } = await aReader();
    for (const method of ['GET', 'POST']) {
      const { headers, body } = await visit(method, path);
      expect(String(body['text'])).not.toMatch(/https?:|<script|<img|<link|src=|@import|url\(/);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
        ),
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      });
    }
  });

  it.each([
    ['a mail program', 'application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    [
      'another mail program',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
    ],
    ['the button of the page', 'application/x-www-form-urlencoded', undefined],
    ['a program with JSON', 'application/json', '{"broken'],
    ['a program with nonsense', 'text/plain', '\u0000'],
  ])('switches off only its own channel when %s posts to it, once or twice', async (_who, type, body) => {
    const { account, channel, other, happens, path } = await aReader();
    await happens();
    for (const _time of [1, 2]) {
      const answer = await visit('POST', path, { 'content-type': type }, body);
      expect(answer.status).toBe(200);
      expect(answer.headers).not.toHaveProperty('location');
      expect(answer.body['text']).toContain('You are unsubscribed');
    }
    expect(await readState(channel)).toEqual({ active: false, reason: 'unsubscribed' });
    expect(await readState(other)).toEqual({ active: true, reason: null });
    const states = await notifications.rows('select state from deliveries where channel_id = $1 order by 1', [channel]);
    expect(states.map(({ state }) => state)).toEqual(['delivered', 'paused']);
    const records = await notifications.rows(
      `select actor_type, address, state_after from audit_records where action = 'mailbox.unsubscribed' and target_id = $1`,
      [channel],
    );
    const state_after = JSON.stringify({ channels: [channel] });
    expect(records).toEqual([{ actor_type: 'recipient', address: '127.0.0.1', state_after }]);
    const disabledEvents = await notifications.rows(
      `select d.channel_id from events e join deliveries d on d.event_id = e.id
       where e.account_id = $1 and e.type = 'channel.disabled'`,
      [account.id],
    );
    expect(disabledEvents).toEqual([{ channel_id: other }]);
    await happens();
    const more = await notifications.rows('select 1 from deliveries where channel_id = $1', [channel]);
    expect(more).toHaveLength(2);
  });

  it('sets the reason "unsubscribed" even on a channel that is already inactive', async () => {
    const { account, channel, path } = await aReader();
    const patch = { method: 'PATCH', path: `/v1/notifications/${channel}`, key: account.key };
    await notifications.service.call({ ...patch, body: { active: false } });
    await visit('POST', path);
    expect(await readState(channel)).toEqual({ active: false, reason: 'unsubscribed' });
  });

  it('does not contain the id of its channel or of its account', async () => {
    const { channel, account, path } = await aReader();
    const bytes = Buffer.from(path.split('.')[1] ?? '', 'base64url').toString('latin1');
    for (const id of [channel, account.id]) {
      expect(path).not.toContain(id.slice(3));
      expect(bytes).not.toContain(id.slice(3));
    }
  });

  it('answers 404 if it was cut, changed or made up: HTML to browsers, JSON to programs', async () => {
    const { channel, path } = await aReader();
    const token = path.slice('/u/'.length);
    const flipped = token
      .replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
      .replace(/\.(.)/, (_, c) => (c === 'a' ? '.b' : '.a'));
    const content = notifications.of(SecretBox).open(token, UNSUBSCRIBE);
    const stranger = new SecretBox(SecretBox.generateKey()).seal(content, UNSUBSCRIBE);
    const otherwise = notifications.of(SecretBox).seal(content, 'a link to confirm');
    const incomplete = notifications.of(SecretBox).seal(channel, UNSUBSCRIBE);
    const bad = [
      flipped,
      token.slice(0, -1),
      token.slice(0, 20),
      'x',
      channel,
      stranger,
      otherwise,
      incomplete,
      '%00',
      'a'.repeat(5_000),
    ];
    for (const one of bad)
      for (const method of ['GET', 'POST']) {
        const { status, headers, body } = await visit(method, `/u/${one}`);
        expect([one, status, headers['content-type'], body['code']]).toEqual([
          one,
          404,
          'application/problem+json',
          'not_found',
        ]);
        if (one === '%00') continue; // refused before a page is made: no mail has such a link
        const page = await visit(method, `/u/${one}`, html);
        expect([one, page.status, page.headers['content-type']]).toEqual([one, 404, 'text/html; charset=utf-8']);
      }
    expect(await readState(channel)).toEqual({ active: true, reason: null });
  });

  it('does not appear in the error that answers a wrong method', async () => {
    const { path } = await aReader();
    const { status, body } = await visit('DELETE', path);
    expect(status).toBe(405);
    expect(JSON.stringify(body)).not.toContain(path);
    expect(body['instance']).toBe('/u/…');
  });
});
