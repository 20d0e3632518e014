import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channelSenderContract } from 'namewatch/testing';
import { toSlackMessage } from '../src/slack-message.js';
import { SlackSender } from '../src/slack-sender.js';

const contract = channelSenderContract({
  create: (http, units) => new SlackSender(http, units),
  invalidTargets: [
    'https://hooks.slack.com/',
    'https://hooks.slack.com/services/T00000000/B00000000',
    'https://hooks.slack.com/workflows/T00000000/A00000000/ExampleExampleExample123',
    'https://hooks.slack.example/services/T00000000/B00000000/ExampleExampleExample123',
  ],
});
for (const { name, run } of contract) void test(name, run);

void test('a message has the text, the facts and the id of the event', () => {
  const data = {
    entry_id: 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx',
    domain: 'lapsing.test',
    domain_unicode: 'lapsing.test',
    tags: ['brand'],
    purpose: 'acquire',
    move: 'dropped',
    status: 'available',
    previous_status: 'pending_delete',
    phase: 'available',
    previous_phase: 'pending_delete',
    expires_at: null,
    confirmed_at: '2026-12-26T09:00:00.000Z',
    source: 'rdap',
  };
  const message = toSlackMessage({
    id: 'evt_01jd6z0v8q3m4n5p6r7s8t9vw8',
    type: 'watchlist.available',
    body: JSON.stringify({ data }),
    createdAt: new Date('2026-12-26T09:00:00.000Z'),
  });
  const field = (label: string, value: string) => ({ type: 'mrkdwn', text: `*${label}*\n${value}` });
  assert.deepEqual(message, {
    text: 'lapsing.test is now available',
    unfurl_links: false,
    blocks: [
      {
        type: 'section',
        text: { type: 'mrkdwn', text: '*lapsing.test is now available*\nAnyone can register it now: be quick.' },
      },
      {
        type: 'section',
        fields: [
          field('Domain', 'lapsing.test'),
          field('Status', 'pending deletion → available'),
          field('Tags', 'brand'),
          field('Confirmed', '26 December 2026, 09:00 UTC, by RDAP'),
        ],
      },
      { type: 'context', elements: [{ type: 'mrkdwn', text: 'Event evt_01jd6z0v8q3m4n5p6r7s8t9vw8' }] },
    ],
  });
});
