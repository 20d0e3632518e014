import { describe, expect, it } from '@jest/globals';
import { CHAT_FORMATS } from '../../../../../src/notifications/domain/formats/chat-formats.js';
import {
  toChatBundle,
  toChatMessage,
  bytesOf,
  truncate,
  toPlainLine,
} from '../../../../../src/notifications/domain/formats/chat-format.js';
import { DashboardLinks } from '../../../../../src/kernel/dashboard-links.js';
import { aChange } from '../../../../support/builders/notification-events.js';

/** No registry lets these through; a text that an account writes itself may. */
const HOSTILE = [
  '@everyone @here @channel <!channel> <!here> <@U012AB3CD> <users/all> <at>all</at>',
  '[renew](https://evil.example/) <https://evil.example/|renew> ||hidden|| **bold** _it_ `x` ~no~',
  'line\r\nbreak\u0000 \u202Egnp.exe\u2066 "quoted" & \\ <b>html</b> <t:0:R>',
];
const eventWith = (domain: string, unicode = domain) => {
  const data = { ...aChange({ domain, domain_unicode: unicode }), phase: unicode };
  const body = JSON.stringify({
    id: 'evt_1',
    type: 'watchlist.available',
    timestamp: '2026-11-23T09:00:00.000Z',
    data,
  });
  return { id: 'evt_1', type: 'watchlist.available', body };
};
const hostileEvents = HOSTILE.map((text) => eventWith(text));
const bodyOf = (format: (typeof CHAT_FORMATS)[number], message: ReturnType<typeof toChatMessage>) =>
  format.toRequest(new URL(format.example.target), message).body;

describe('markup in the texts of an event', () => {
  const strings = (name: string) => {
    const format = CHAT_FORMATS.find((one) => one.name === name);
    if (!format) throw new Error(name);
    return hostileEvents.map((event) => bodyOf(format, toChatMessage(event)) as Readonly<Record<string, unknown>>);
  };

  it('is escaped in the text of a Slack message, whose blocks are all plain text', () => {
    for (const { text, blocks } of strings('slack')) {
      expect(text).not.toMatch(/[<>]/);
      expect(JSON.stringify(blocks)).not.toContain('mrkdwn');
    }
    expect(strings('slack')[0]?.['text']).toMatch(/&lt;[!\u200b]+channel&gt;/);
  });

  it('is escaped in the texts of a Discord message, which may mention nobody', () => {
    for (const body of strings('discord')) {
      expect(body['allowed_mentions']).toEqual({ parse: [] });
      const { footer: _, ...embed } = (body['embeds'] as Readonly<Record<string, unknown>>[])[0] ?? {};
      for (const text of [...stringsOf(embed), String(body['content'])])
        expect(text.replaceAll(/\\./g, '')).not.toMatch(/[*_~`|[\]()<>#]/);
    }
  });

  it('is escaped in the cards of a Google Chat message, which never has the field `text`', () => {
    for (const body of strings('google_chat')) {
      expect(Object.keys(body)).toEqual(['fallbackText', 'cardsV2']);
      const texts = [...JSON.stringify(body['cardsV2']).matchAll(/"text":"((?:[^"\\]|\\.)*)"/g)];
      for (const [, text] of texts) expect(text).not.toMatch(/[<>]/);
    }
  });

  it('has no effect in a Teams message, which puts all text into plain text runs', () => {
    for (const body of strings('teams'))
      expect(JSON.stringify(body)).not.toMatch(/TextBlock"(?<!RichTextBlock")|FactSet/);
  });

  it('has no effect in Telegram, ntfy and Apprise messages, which are sent as plain text', () => {
    for (const body of strings('telegram')) expect(body).not.toHaveProperty('parse_mode');
    for (const body of strings('ntfy')) expect(body).not.toHaveProperty('markdown');
    for (const body of strings('apprise')) expect(body['format']).toBe('text');
  });
});

describe.each(CHAT_FORMATS)('the dashboard link in a message for $name', (format) => {
  const dashboard = DashboardLinks.at({ publicUrl: 'https://names.example/desk/', ui: true });
  const linksOf = (message: ReturnType<typeof toChatMessage>) =>
    stringsOf(bodyOf(format, message)).flatMap((text) => text.match(/https:\/\/names\.example\S*/g) ?? []);

  it('leads to the page of the domain name, or to the watchlist for several events', () => {
    const links = linksOf(toChatMessage(eventWith('lapsed.example'), dashboard));
    expect(new Set(links)).toEqual(new Set(['https://names.example/desk/ui/names/lapsed.example']));
    if (format.opensIncidents) return;
    const several = linksOf(toChatBundle({ events: [eventWith('lapsed.example')], total: 2 }, dashboard));
    expect(new Set(several)).toEqual(new Set(['https://names.example/desk/ui/']));
  });

  it('stays one single address, even if the domain name contains markup or line breaks', () => {
    for (const event of hostileEvents) expect(new Set(linksOf(toChatMessage(event, dashboard))).size).toBe(1);
  });
});

describe.each(CHAT_FORMATS)('a very long text in a message for $name', (format) => {
  const endless = eventWith(`${'&<*"é😀'.repeat(2_000)}.example`);
  const messages = [
    toChatMessage(endless),
    ...(format.opensIncidents ? [] : [toChatBundle({ events: Array.from({ length: 30 }, () => endless), total: 30 })]),
  ];

  it.each(messages)(
    'is cut with an ellipsis so that the message keeps the limits of the product (message %#)',
    (message) => {
      const body = bodyOf(format, message);
      expect(stringsOf(body).some((text) => text.endsWith('…'))).toBe(true);
      expect(JSON.stringify(body).isWellFormed()).toBe(true);
      expect(brokenLimitsOf(format.name, body)).toEqual([]);
    },
  );
});

describe('a text for a chat message', () => {
  it('is never cut inside a character or an escape such as &lt;', () => {
    expect(truncate('😀😀', 3)).toBe('😀…');
    expect(truncate('a<b', 5, (character) => (character === '<' ? '&lt;' : character))).toBe('a…');
    expect(truncate('éé', 3, undefined, bytesOf)).toBe('…');
    expect(truncate('éé', 4, undefined, bytesOf)).toBe('éé');
  });

  it('becomes one line of valid characters, in which @ mentions nobody', () => {
    expect(toPlainLine(' a\r\n\u2028b\ud800 c@d ')).toBe('a b\uFFFD c@\u200bd');
  });
});

/** The limits that each product documents. */
function brokenLimitsOf(format: string, body: object): string[] {
  const json = JSON.stringify(body);
  const has = <Key extends string>(value: unknown, key: Key) => (value as Record<Key, string>)[key];
  const limits: Readonly<Record<string, () => boolean>> = {
    slack: () => has(body, 'text').length <= 4_000 && longest(has(body, 'blocks')) <= 3_000,
    discord: () => has(body, 'content').length <= 2_000 && stringsOf(has(body, 'embeds')).join('').length <= 6_000,
    teams: () => bytesOf(json) <= 28_000,
    google_chat: () => bytesOf(json) <= 32_000,
    telegram: () => has(body, 'text').length <= 4_096,
    ntfy: () => bytesOf(has(body, 'message')) <= 4_096 && bytesOf(has(body, 'title')) <= 250,
    pagerduty: () => longest(body) <= 2_000 && bytesOf(json) <= 512 * 1_024,
    apprise: () => longest(body) <= 4_000,
  };
  return limits[format]?.() === true ? [] : [format];
}

function longest(value: unknown): number {
  return Math.max(...stringsOf(value).map(({ length }) => length));
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}
