import { absent, DomainName, found, type RegistrationFacts } from '../../domains/language.js';
import { after, DAY, HOUR, MINUTE } from '../../kernel/clock.js';
import type { DomainEvent } from '../../kernel/domain-event.js';
import type { ConfirmedFactsWithEvidence } from './confirmed-facts.js';
import { type ExpectedRecord, INITIAL_SETTINGS } from './entry-settings.js';
import type { WatchlistEventData } from './watch-events.js';
import { WatchEntry } from './watch-entry.js';

const ENTRY = 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx';
const START = new Date('2026-09-01T02:00:00.000Z');
const EXPIRY = after(START, 50 * DAY);
const REGISTERED_AT = new Date('2020-10-21T02:00:00.000Z');

/** Examples for the API document. A `WatchEntry` produces the events, so that they match real events. */
export function exampleEvents(): DomainEvent<WatchlistEventData>[] {
  const entry = startEntry();
  const failing = { code: 'registry_timeout', since: daysAfter(14), failures: 3 };
  entry.applyFacts(saying(record(), 0), daysAfter(0)); // 50 days before the expiry, so a reminder is due
  entry.notifyFailing(failing, saying(record(), 0), after(daysAfter(14), 2 * HOUR));
  entry.notifyRecovered(failing, saying(record(), 0), after(daysAfter(14), 3 * HOUR));
  entry.applyFacts(saying(record(), 21), daysAfter(21));
  entry.applyFacts(saying(record('redemption period', 'pending delete'), 80), daysAfter(80));
  entry.applyFacts(saying(record('pending delete'), 110), daysAfter(110));
  entry.applyFacts(saying(absent, 115), daysAfter(115));
  // Gives fixed ids, so that the API document is the same each time.
  return [...entry.releaseEvents(), ...recordEvents()]
    .filter((event): event is DomainEvent<WatchlistEventData> => event.type.startsWith('watchlist.'))
    .map((event, at) => ({ ...event, id: eventId(at), payload: { ...event.payload, entry_id: ENTRY } }));
}

function startEntry(expected: ExpectedRecord | null = null): WatchEntry {
  return WatchEntry.start(
    {
      accountId: 'acc_01jd6z0v8q3m4n5p6r7s8t9vwx',
      domain: DomainName.restore('lapsing.test'),
      ...INITIAL_SETTINGS,
      intervalMinutes: 60,
      tags: ['brand'],
      purpose: 'own',
      expected,
    },
    START,
  );
}

/** Uses a separate entry, so that these events do not change the other examples. */
function recordEvents(): DomainEvent[] {
  const [before, after] = [
    ['ns1.hoster.test', 'ns2.hoster.test'],
    ['ns1.another.test', 'ns2.another.test'],
  ];
  const entry = startEntry({ nameservers: before, locked: true });
  entry.applyFacts(saying(record(), 0), daysAfter(0));
  entry.releaseEvents();
  const seen = saying(record(), 7);
  entry.notifyRecordChange({ kind: 'nameservers', before, after }, seen, daysAfter(7));
  const actual = { nameservers: after, registrar_id: '292', locked: true };
  entry.notifyDrift({ before: [], now: ['nameservers'], actual }, seen, daysAfter(7));
  return entry.releaseEvents();
}

function record(...statuses: string[]): RegistrationFacts {
  return found({ registeredAt: REGISTERED_AT, expiresAt: EXPIRY, statuses });
}

/** Returns facts confirmed `days` after the start. A "not found" needs two lookups, here a minute apart. */
function saying(facts: RegistrationFacts, days: number): ConfirmedFactsWithEvidence {
  const confirmedAt = daysAfter(days);
  const observedAt = facts.outcome === 'absent' ? after(confirmedAt, -MINUTE) : confirmedAt;
  return { facts, source: 'rdap', observedAt, confirmedAt, previousConfirmedAt: null, evidence: [] };
}

function daysAfter(days: number): Date {
  return after(START, days * DAY);
}

function eventId(at: number | string): string {
  return `evt_01jd6z0v8q3m4n5p6r7s8t9vw${at}`;
}
