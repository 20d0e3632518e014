import {
  bytesOf,
  type ChatFormat,
  LINK_TEXT,
  requireParts,
  type ChatMessage,
  escapeHtml,
  truncate,
} from './chat-format.js';

const WEBHOOK = /^\/v1\/spaces\/([\w-]+)\/messages$/;
/** With these limits, a message stays below the limits of Google: 32000 bytes, and 100 widgets in a card. */
const LIMITS = { title: 200, line: 500, facts: 20, value: 500, fallback: 1_000 };

/**
 * The field `text` stays unused, because `<users/all>` in `text` mentions everybody.
 * @see https://developers.google.com/workspace/chat/quickstart/webhooks
 * @see https://developers.google.com/workspace/chat/api/reference/rest/v1/cards
 * @see https://developers.google.com/workspace/chat/format-messages#card-formatting
 */
export const googleChat: ChatFormat = {
  name: 'google_chat',
  example: {
    target: 'https://google-chat.example.test/v1/spaces/AAAAexample/messages?key=ExampleKey&token=ExampleToken',
    about: 'Google Chat: the URL of a webhook of a space',
  },

  room: { size: 12_000, lines: 80, sizeOf: bytesOf, escape: escapeHtml },

  mask(target) {
    const expected = 'https://chat.googleapis.com/v1/spaces/<space>/messages?key=…&token=…';
    const [space] = requireParts(target, WEBHOOK, ['key', 'token'], expected);
    return `https://${target.host}/v1/spaces/${space}/…`;
  },

  toRequest: (target, message) => ({ url: target.href, body: toBody(message) }),
};

function toBody({ title, lines, facts, link, footer }: ChatMessage): object {
  // Paragraphs are simple HTML, so they are escaped. Titles and labels are plain text.
  const paragraphs = lines.map((line) => ({ textParagraph: { text: truncate(line, LIMITS.line, escapeHtml) } }));
  const details = facts.slice(0, LIMITS.facts).map(({ label, value }) => ({
    decoratedText: {
      topLabel: truncate(label, LIMITS.title),
      text: truncate(value, LIMITS.value, escapeHtml),
      wrapText: true,
    },
  }));
  const buttons = link === null ? [] : [{ buttonList: { buttons: [toButton(link)] } }];
  const widgets = [...paragraphs, ...details, ...buttons];
  const card = {
    header: { title: truncate(title, LIMITS.title), subtitle: truncate(footer, LIMITS.title) },
    ...(widgets.length > 0 && { sections: [{ widgets }] }),
  };
  return { fallbackText: truncate(title, LIMITS.fallback), cardsV2: [{ cardId: 'namewatch', card }] };
}

function toButton(url: string): object {
  return { text: LINK_TEXT, onClick: { openLink: { url } } };
}
