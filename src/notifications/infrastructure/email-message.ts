import { Eta } from 'eta';
import type { WatchlistEventData } from '../../watchlist/language.js';
import type { Message } from '../domain/channel-sender.js';
import { type ChannelEventData, channelWords } from '../domain/channel-words.js';
import { type EventWords, wordsFor } from '../domain/event-words.js';

/** What a person gets to read. */
export interface EmailMessage {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const TEXT = `<%= it.headline %>.
<% it.advice.forEach((sentence) => { %><%= sentence %>
<% }) %>
<% it.facts.forEach(({ label, value }) => { %><%= label.padEnd(11) %><%= value %>
<% }) %><% if (it.link) { %>
<%= it.link %>
<% } %>
--
You get this because the notifications of a Namewatch account go to this address.
Event <%= it.event %>, channel <%= it.channel %>
`;

/** No images, no styles from elsewhere, nothing that tells a sender that it was read. */
const HTML = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title><%= it.headline %></title></head>
<body style="font-family: sans-serif">
<h1 style="font-size: 1.2em"><%= it.headline %>.</h1>
<% it.advice.forEach((sentence) => { %><p><%= sentence %></p>
<% }) %><table>
<% it.facts.forEach(({ label, value }) => { %><tr><td><%= label %></td><td><%= value %></td></tr>
<% }) %></table>
<% if (it.link) { %><p><a href="<%= it.link %>"><%= it.link %></a></p>
<% } %><hr>
<p><small>You get this because the notifications of a Namewatch account go to this address.<br>
Event <%= it.event %>, channel <%= it.channel %></small></p>
</body></html>
`;

const plain = new Eta({ autoEscape: false, autoTrim: false });
const marked = new Eta({ autoEscape: true, autoTrim: false });
const textTemplate = plain.compile(TEXT);
const htmlTemplate = marked.compile(HTML);

/** @param publicUrl where people reach this service, for a link to the entry; null: no link. */
export function emailMessage({ event, channel }: Message, publicUrl: string | null): EmailMessage {
  const { data: told } = JSON.parse(event.body) as { data: WatchlistEventData | ChannelEventData };
  const words: EventWords = 'channel_id' in told ? channelWords(told) : wordsFor(event.type, told);
  const link = publicUrl === null || !('entry_id' in told) ? null : linkTo(told.entry_id, publicUrl);
  const shown = { ...words, link, event: event.id, channel: channel.id };
  return {
    subject: `[Namewatch] ${words.headline}`,
    text: plain.render(textTemplate, shown),
    html: marked.render(htmlTemplate, shown),
  };
}

function linkTo(entryId: string, publicUrl: string): string {
  return `${publicUrl.replace(/\/$/, '')}/v1/watchlist/${entryId}`;
}
