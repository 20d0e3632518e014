import type { AttemptOutcome } from '../attempt.js';
import type { HttpReply } from '../http-exchange.js';
import { bytesOf, type ChatFormat, LINK_TEXT, refused, type ChatMessage, truncate } from './chat-format.js';
import type { Severity } from './alert.js';

/** Maximum lengths in characters. They keep a message below the 28 KB that Teams accepts. */
const LIMITS = { title: 500, line: 300, facts: 20, value: 500 };
const COLORS: Readonly<Record<Severity, string>> = {
  critical: 'Attention',
  error: 'Attention',
  warning: 'Warning',
  info: 'Default',
};
/** Matches a failure that older Teams connectors report with status 200. */
const HIDDEN_FAILURE = /Microsoft Teams endpoint returned HTTP error (\d{3})/;

/**
 * Text is in runs of a RichTextBlock, where Teams reads no Markdown. Mentions need entities, which the card lacks.
 * @see https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
 * @see https://adaptivecards.io/explorer/RichTextBlock.html
 */
export const teams: ChatFormat = {
  name: 'teams',
  example: {
    target: 'https://teams.example.test/workflows/0123456789abcdef/triggers/manual/paths/invoke?sig=Example',
    about: 'Microsoft Teams: the URL of a workflow that starts with a webhook request',
  },
  room: { size: 12_000, lines: 100, sizeOf: bytesOf },

  mask: (target) => `https://${target.host}/…`,
  toRequest: (target, message) => ({ url: target.href, body: toBody(message) }),

  toOutcome(reply: HttpReply): AttemptOutcome | null {
    const [, status] = HIDDEN_FAILURE.exec(reply.excerpt ?? '') ?? [];
    return status === undefined ? null : refused(reply, { responseStatus: Number(status) });
  },
};

function toBody({ title, lines, facts, link, footer, severity }: ChatMessage): object {
  const heading = { ...run(title, LIMITS.title), size: 'Medium', weight: 'Bolder', color: COLORS[severity] };
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      paragraph(heading),
      ...lines.map((line) => paragraph(run(line, LIMITS.line))),
      ...facts.slice(0, LIMITS.facts).map(({ label, value }) => {
        const name = { ...run(`${label}: `, LIMITS.value), weight: 'Bolder' };
        return { ...paragraph(name, run(value, LIMITS.value)), spacing: 'Small' };
      }),
      paragraph({ ...run(footer, LIMITS.line), isSubtle: true, size: 'Small' }),
    ],
    ...(link !== null && { actions: [{ type: 'Action.OpenUrl', title: LINK_TEXT, url: link }] }),
  };
  const card = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content };
  return { type: 'message', attachments: [card] };
}

function paragraph(...inlines: readonly object[]) {
  return { type: 'RichTextBlock', inlines };
}

function run(text: string, limit: number) {
  return { type: 'TextRun', text: truncate(text, limit) };
}
