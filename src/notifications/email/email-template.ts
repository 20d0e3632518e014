import { Eta } from 'eta';
import type { EmailMessage } from './smtp-mailer.js';

export interface EmailContent {
  /** A question, or a sentence without its full stop. Also used as the subject. */
  readonly headline: string;
  readonly paragraphs?: readonly string[];
  readonly facts?: readonly { readonly label: string; readonly value: string }[];
  /** One item for each event, if the mail has several events. */
  readonly news?: readonly { readonly headline: string; readonly about: string }[];
  readonly link?: { readonly label: string; readonly url: string } | null;
  /** The reason for the mail, and the ids of its event, channel or invitation. */
  readonly footer: readonly string[];
  readonly unsubscribe: string | null;
}

const TEXT = `<%= it.title %>
<% it.paragraphs.forEach((paragraph) => { %>
<%= paragraph %>
<% }) %><% if (it.facts.length) { %>
<% it.facts.forEach(({ label, value }) => { %><%= label.padEnd(it.labelWidth) %><%= value %>
<% }) %><% } %><% if (it.news.length) { %>
<% it.news.forEach(({ headline, about }) => { %>* <%= headline %>
  <%= about %>
<% }) %><% } %><% if (it.link) { %>
<%= it.link.label %>:
<%= it.link.url %>
<% } %>
-- 
<% it.footer.forEach((line) => { %><%= line %>
<% }) %><% if (it.unsubscribe) { %>
To get no more of these mails:
<%= it.unsubscribe %>
<% } %>`;

/** Uses no images, external styles or tracking. Sets no colours, so that dark mode works. */
const HTML = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<title><%= it.headline %></title></head>
<body style="font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif; max-width: 36em; margin: 0 auto; padding: 1.5em 1em">
<h1 style="font-size: 1.25em; line-height: 1.3; margin: 0 0 .75em; overflow-wrap: anywhere"><%= it.title %></h1>
<% it.paragraphs.forEach((paragraph) => { %><p style="margin: 0 0 1em"><%= paragraph %></p>
<% }) %><% if (it.facts.length) { %><table role="presentation" style="border-collapse: collapse; margin: 0 0 1em">
<% it.facts.forEach(({ label, value }) => { %><tr><td style="padding: .2em 1.5em .2em 0; vertical-align: top; opacity: .75"><%= label %></td><td style="padding: .2em 0; overflow-wrap: anywhere"><%= value %></td></tr>
<% }) %></table>
<% } %><% if (it.news.length) { %><ul style="margin: 0 0 1em; padding: 0 0 0 1.2em">
<% it.news.forEach(({ headline, about }) => { %><li style="margin: 0 0 .5em; overflow-wrap: anywhere"><%= headline %><br><small style="opacity: .75"><%= about %></small></li>
<% }) %></ul>
<% } %><% if (it.link) { %><p style="margin: 0 0 1em"><%= it.link.label %>:<br><a href="<%= it.link.url %>" style="overflow-wrap: anywhere"><%= it.link.url %></a></p>
<% } %><hr style="border: 0; border-top: 1px solid; opacity: .25; margin: 1.5em 0 1em">
<p style="margin: 0 0 1em"><small style="opacity: .75"><% it.footer.forEach((line, i) => { %><% if (i) { %><br><% } %><%= line %><% }) %></small></p>
<% if (it.unsubscribe) { %><p style="margin: 0"><small><a href="<%= it.unsubscribe %>">Unsubscribe from these mails</a></small></p>
<% } %></body></html>
`;

const MIN_LABEL_WIDTH = 11;

const textEngine = new Eta({ autoEscape: false, autoTrim: false });
const htmlEngine = new Eta({ autoEscape: true, autoTrim: false });
const textTemplate = textEngine.compile(TEXT);
const htmlTemplate = htmlEngine.compile(HTML);

export function renderEmail(content: EmailContent): EmailMessage {
  const title = content.headline.endsWith('?') ? content.headline : `${content.headline}.`;
  const labelWidth = Math.max(MIN_LABEL_WIDTH, ...(content.facts ?? []).map(({ label }) => label.length + 2));
  const data = { paragraphs: [], facts: [], news: [], link: null, ...content, title, labelWidth };
  return {
    subject: `[Namewatch] ${content.headline}`,
    text: textEngine.render(textTemplate, data),
    html: htmlEngine.render(htmlTemplate, data),
  };
}
