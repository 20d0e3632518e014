import { describe, expect, it } from '@jest/globals';
import { CHAT_FORMATS } from '../../../../../src/notifications/domain/formats/chat-formats.js';
import { toChatBundle, toChatMessage } from '../../../../../src/notifications/domain/formats/chat-format.js';
import {
  ACCOUNT_FIELDS,
  anEventWith,
  HOSTILE_TEXTS,
  record,
  REGISTRY_FIELDS,
} from '../../../../support/builders/hostile-events.js';

const CARD_SCHEMA = 'http://adaptivecards.io/schemas/adaptive-card.json';
/** Links whose address is hidden, mentions, tags, what is unprintable, and lines of their own. */
const LIVE = [
  /\]\(|\]\[|!\[/,
  /@(?![\u200b…])/,
  /(?:<|&lt;)[!@#/a-z]/i,
  /(?!\n)\p{Cc}|[\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u,
  /\n(?:# b|> c|- d|e\b|code)/,
];
const livePartsOf = (text: string) => LIVE.flatMap((pattern) => pattern.exec(text)?.[0] ?? []);
const BARE_URL = /[a-z]:\/\/|\bwww\./i;
const bareUrlsOf = (text: string) => (text === CARD_SCHEMA ? [] : (BARE_URL.exec(text) ?? []));

describe.each(CHAT_FORMATS)('a message in the format $name', (format) => {
  const target = new URL(format.example.target);
  const messagesOf = (changes: object) => {
    const event = anEventWith(changes);
    const bundles = format.opensIncidents ? [] : [toChatBundle({ events: [event], total: 2 })];
    return [toChatMessage(event), ...bundles].map((message) => stringsOf(format.toRequest(target, message).body));
  };

  /** The live part of each hostile text in a field. */
  const found = (fill: (text: string) => object, find: (text: string) => string[]) =>
    Object.entries(HOSTILE_TEXTS).flatMap(([what, text]) => {
      const parts = messagesOf(fill(text)).flat().flatMap(find);
      return parts.length > 0 ? [[what, parts]] : [];
    });

  it.each(Object.entries({ ...REGISTRY_FIELDS, ...ACCOUNT_FIELDS }))(
    'shows hostile text in %s as plain text on one line',
    (_, fill) => {
      expect(found(fill, livePartsOf)).toEqual([]);
    },
  );

  it.each(Object.entries(REGISTRY_FIELDS))('turns no URL in %s into a link', (_, fill) => {
    expect(found(fill, bareUrlsOf)).toEqual([]);
  });
});

describe('the message format of Slack', () => {
  const slack = CHAT_FORMATS.find(({ name }) => name === 'slack');
  const textAt = (target: string, changes: object) => {
    const request = slack?.toRequest(new URL(target), toChatMessage(anEventWith(changes)));
    const { text } = (request?.body ?? {}) as { text: string };
    return text;
  };
  const changes = record('registrar', { name: '*Bold* _it_ `c` ~no~ #x [l](m) a\\*b', iana_id: null });

  it('escapes Markdown for hosts other than Slack, such as Mattermost', () => {
    for (const host of ['mattermost.example', 'hooks.slack.com.example', 'chat.example:8443']) {
      const text = textAt(`https://${host}/hooks/x`, changes);
      expect(text).toContain('\\*Bold\\* \\_it\\_ \\`c\\` \\~\u200bno\\~\u200b #\u200bx [\u200bl]\u200b');
      expect(text.replaceAll(/\\[*_~`]/g, '')).not.toMatch(/[*_~`]|[#[\]\\](?!\u200b)/);
    }
  });

  it.each(['hooks.slack.com', 'hooks.slack-gov.com'])('adds no Markdown escapes for the Slack host %s', (host) => {
    const target = `https://${host}/services/T00000000/B00000000/ExampleExampleExample123`;
    expect(textAt(target, changes)).toContain('*Bold* _it_ `c` ~no~ #x [l]');
    expect(slack?.mask(new URL(target))).toBe(`https://${host}/services/T00000000/B00000000/…`);
  });
});

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}
