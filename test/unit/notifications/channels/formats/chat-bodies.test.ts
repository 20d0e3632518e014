import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { CHAT_FORMATS } from '../../../../../src/notifications/domain/formats/chat-formats.js';
import { toChatBundle, toChatMessage } from '../../../../../src/notifications/domain/formats/chat-format.js';
import { DashboardLinks } from '../../../../../src/kernel/dashboard-links.js';
import { EXAMPLE_EVENTS } from '../../../../../src/notifications/events/event-examples.js';

/**
 * The bodies as each product documents them: checked by hand against the schemas that the source of each format cites. A
 * change here is a change of what people see: `GOLDEN=write` writes them again. Apprise shows each text as it is, so its
 * file has every type of event. The others have an event of each severity, among them events without advice or a name.
 */
const SHAPES = ['watchlist.available', 'watchlist.record_changed', 'watchlist.check_recovered', 'channel.disabled'];
const goldenOf = (format: string) => new URL(`golden/${format}.json`, import.meta.url);

describe.each(CHAT_FORMATS)('the chat format $name', (format) => {
  const target = new URL(format.example.target);
  const events = Object.entries(EXAMPLE_EVENTS).filter(([type]) => format.name === 'apprise' || SHAPES.includes(type));
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

  it.each(bodies)('posts %s exactly as in the approved sample file', (type, request) => {
    expect(request).toEqual(golden[type]);
  });

  it('has one approved sample for each tested event, and no others', () => {
    expect(Object.keys(golden)).toEqual(bodies.map(([type]) => type));
  });
});

describe.each(CHAT_FORMATS.filter(({ opensIncidents }) => !opensIncidents))('a long message to $name', (format) => {
  const expiring = EXAMPLE_EVENTS['watchlist.expiring'];
  const dashboard = DashboardLinks.at({ publicUrl: 'https://names.example.test', ui: true });
  const dayOf = (n: number) => new Date(Date.UTC(2027, 0, n)).toISOString().slice(0, 10);

  it.each([
    ['alike', 10, 1],
    ['alike', 60, 1],
    ['each with a date of its own', 10, 200],
    ['each with a date of its own', 60, 200],
  ])('lists over 20 of 200 names, counts the rest and has a link: %s, %i characters', (_how, length, days) => {
    const names = Array.from({ length: 200 }, (_, n) => `${String(n).padStart(length, 'x')}.test`);
    const events = names.map((name, n) => {
      const body = expiring.body.replaceAll('lapsing.test', name);
      return { ...expiring, body: body.replace(/("expires_at":")[\d-]{10}/, `$1${dayOf(n % days)}`) };
    });
    const message = toChatBundle({ events, total: 200 }, dashboard, format.room ?? null);
    const body = JSON.stringify(format.toRequest(new URL(format.example.target), message).body);
    const kept = names.filter((name) => body.includes(name)).length;
    const [, counted = '0'] = /and (\d+) more, which/.exec(body) ?? [];
    expect(kept + Number(counted)).toBe(200);
    expect(kept).toBeGreaterThan(20);
    expect(body).not.toContain('…');
    expect(Buffer.byteLength(body)).toBeLessThan(28_000);
    expect(body).toContain('https://names.example.test');
  });
});
