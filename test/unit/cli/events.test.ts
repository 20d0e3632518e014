import { describe, expect, it } from '@jest/globals';
import { formatEvent, type ReceivedEvent } from '../../../src/cli/commands/events.js';
import { EXAMPLE_EVENTS } from '../../../src/notifications/events/event-examples.js';

type Type = keyof typeof EXAMPLE_EVENTS;
const exampleOf = (type: Type) => JSON.parse(EXAMPLE_EVENTS[type].body) as ReceivedEvent;
const lineOf = ({ data, ...event }: ReceivedEvent, changes: ReceivedEvent['data'] = {}) =>
  formatEvent({ ...event, data: { ...data, ...changes } }).replace(/^\S+ {2}/, '');

describe('a line of `events tail`', () => {
  it.each<[Type, string]>([
    ['watchlist.available', 'watchlist.available  lapsing.test  pending delete -> available'],
    ['watchlist.phase_changed', 'watchlist.phase_changed  lapsing.test  redemption -> pending delete'],
    ['watchlist.expiring', 'watchlist.expiring  lapsing.test  reminder for 2026-10-21'],
    ['watchlist.check_failing', 'watchlist.check_failing  lapsing.test'],
    ['watchlist.record_changed', 'watchlist.record_changed  lapsing.test  nameservers changed'],
    ['watchlist.drift_changed', 'watchlist.drift_changed  lapsing.test  not as expected: nameservers'],
    ['channel.test', 'channel.test'],
  ])('says what happened, for the event type %s', (type, line) => {
    expect(lineOf(exampleOf(type))).toBe(line);
  });

  it('shows no earlier status if the event is the first answer about a name', () => {
    const first = { move: 'discovered', previous_status: 'registered', previous_phase: 'registered' } as const;
    expect(lineOf(exampleOf('watchlist.available'), first)).toBe(
      'watchlist.available  lapsing.test  first answer: available',
    );
    expect(lineOf(exampleOf('watchlist.available'), { ...first, status: 'registered', phase: 'hold' })).toBe(
      'watchlist.available  lapsing.test  first answer: hold',
    );
  });
});
