import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { CHAT_FORMATS } from '../../../../../src/notifications/domain/formats/chat-formats.js';
import { toChatBundle, toChatMessage } from '../../../../../src/notifications/domain/formats/chat-format.js';
import { EXAMPLE_EVENTS } from '../../../../../src/notifications/events/event-examples.js';

/**
 * The bodies of every type of event, as each product documents them: checked by hand against the schemas that the source
 * of each format cites. A change here is a change of what people see: `GOLDEN=write` writes them again.
 */
const goldenOf = (format: string) => new URL(`golden/${format}.json`, import.meta.url);

describe.each(CHAT_FORMATS)('$name', (format) => {
  const target = new URL(format.example.target);
  const events = Object.entries(EXAMPLE_EVENTS);
  const all = Object.values(EXAMPLE_EVENTS);
  const bodies = [
    ...events.map(([type, event]) => [type, format.toRequest(target, toChatMessage(event))] as const),
    ...(format.opensIncidents
      ? []
      : [['several', format.toRequest(target, toChatBundle({ events: all, total: all.length }))] as const]),
  ];
  if (process.env['GOLDEN'] === 'write')
    writeFileSync(goldenOf(format.name), `${JSON.stringify(Object.fromEntries(bodies), null, 2)}\n`);
  const golden = JSON.parse(readFileSync(goldenOf(format.name), 'utf8')) as Record<string, object>;

  it.each(bodies)('posts %s as documented', (type, request) => {
    expect(request).toEqual(golden[type]);
  });

  it('has a golden body for each of them', () => {
    expect(Object.keys(golden)).toEqual(bodies.map(([type]) => type));
  });
});
