import { describeEvent, type Message } from 'namewatch';

/** Slack's limits. */
const MAX_FIELDS = 10;
const MAX_TEXT_LENGTH = 2_000;

/** An event as blocks of Slack's Block Kit; `text` is what notifications show. The same event gives the same message. */
export function toSlackMessage(event: Message['event']) {
  const { headline, advice, facts } = describeEvent(event);
  const fields = facts.slice(0, MAX_FIELDS).map(({ label, value }) => markdown(`*${escape(label)}*\n${escape(value)}`));
  return {
    text: escape(headline),
    unfurl_links: false, // a name that is for sale would show its seller's page
    blocks: [
      { type: 'section', text: markdown([`*${escape(headline)}*`, ...advice.map(escape)].join('\n')) },
      { type: 'section', fields },
      { type: 'context', elements: [markdown(`Event ${event.id}`)] },
    ],
  };
}

function markdown(text: string) {
  return { type: 'mrkdwn', text: text.slice(0, MAX_TEXT_LENGTH) };
}

/** The three characters that Slack gives a meaning. */
function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
