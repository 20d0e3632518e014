import { absent, found, reserved } from '../../../src/domains/domain/lifecycle/registration-facts.js';
import { SIMULATED_TESTIMONY, type Testimony } from '../../../src/domains/domain/lookup/lookup-result.js';
import {
  type AbsenceDoubt,
  DomainName,
  type Evidence,
  type LookupFailure,
  type Observation,
  type RegistrationFacts,
} from '../../../src/domains/language.js';
import { DAY } from '../../../src/kernel/clock.js';
import { TimeUnits } from '../../../src/kernel/time-units.js';
import type { DomainEvent } from '../../../src/kernel/domain-event.js';
import {
  type DropForecast,
  CheckSchedule,
  type CheckScheduleSettings,
  type msUntilOffset,
} from '../../../src/watchlist/domain/check-schedule.js';
import { type CurrentFacts, WatchEntry } from '../../../src/watchlist/domain/watch-entry.js';
import { INITIAL_SETTINGS, type NewWatch } from '../../../src/watchlist/domain/entry-settings.js';
import type { ConfirmedFactsWithEvidence } from '../../../src/watchlist/domain/confirmed-facts.js';
import { WatchedName } from '../../../src/watchlist/domain/watched-name.js';

export const monday = new Date('2026-11-16T12:00:00.000Z');
export const at = (milliseconds: number, from: Date = monday) => new Date(from.getTime() + milliseconds);
export const inDays = (days: number) => at(days * DAY);

export const registeredAt = inDays(-1_000);
export const facts = {
  registered: found({ registeredAt, expiresAt: inDays(300) }),
  expiring: found({ registeredAt, expiresAt: inDays(10) }),
  redemption: found({ registeredAt, expiresAt: inDays(-20), statuses: ['redemption period', 'pending delete'] }),
  pendingDelete: found({ registeredAt, expiresAt: inDays(-50), statuses: ['pending delete'] }),
  hold: found({ registeredAt, expiresAt: inDays(300), statuses: ['client hold'] }),
  renewed: found({ registeredAt, expiresAt: inDays(375) }),
  caught: found({ registeredAt: inDays(-1), expiresAt: inDays(364) }),
  available: absent,
  reserved,
};
export type Situation = keyof typeof facts;

/** Zone and canary agree with the registry. */
export const BELIEVED: Testimony = { ...SIMULATED_TESTIMONY };

export function anObservation(
  what: RegistrationFacts,
  observedAt = monday,
  changes: Partial<Observation> = {},
): Observation {
  const rest = { source: 'rdap', evidence: [], witnesses: 1, recheckWithinMs: null } as const;
  const said = what.outcome === 'absent' && { testimony: BELIEVED };
  return { kind: 'observation', facts: what, observedAt, ...rest, ...said, ...changes };
}

export function anEvidence(observedAt = monday): Evidence {
  const rest = { server: 'rdap.example', outcome: 'absent', rule: 'rdap.404', httpStatus: 404, excerpt: '' } as const;
  return { source: 'rdap', observedAt, ...rest };
}

export function aFailure(observedAt = monday, changes: Partial<LookupFailure> = {}): LookupFailure {
  const rest = { code: 'registry_timeout', registry: 'rdap.example', retryAfterSeconds: null, evidence: [] } as const;
  return { kind: 'failure', observedAt, ...rest, ...changes };
}

/** An absence that is not believed. */
export function aDoubt(doubt: AbsenceDoubt, observedAt = monday): LookupFailure {
  const doubted = anObservation(absent, observedAt);
  return aFailure(observedAt, { code: 'registry_answer_unusable', doubt, doubted });
}

/** An absence of a name that its zone has. */
export function aDnsVeto(observedAt = monday): LookupFailure {
  return aDoubt('in_zone', observedAt);
}

export function confirmed(what: RegistrationFacts, observedAt = monday): ConfirmedFactsWithEvidence {
  const rest = { source: 'rdap', previousConfirmedAt: null, evidence: [] } as const;
  return { facts: what, observedAt, confirmedAt: observedAt, ...rest };
}

/** Current facts for a revision: recent, or none. */
export const recentFacts = (what: RegistrationFacts): CurrentFacts => ({
  recent: confirmed(what),
  last: confirmed(what),
});
export const noRecentFacts: CurrentFacts = { recent: null, last: null };

/** Without offsets unless given: only jitter is left. */
export function aSchedule(
  { timeScale = 1, ...changes }: Partial<CheckScheduleSettings> & { readonly timeScale?: number } = {},
  random = () => 0,
  slot: typeof msUntilOffset = () => 0,
  forecast: DropForecast = { byRule: () => null, byList: () => null },
  steadySince: Date | null = null,
): CheckSchedule {
  return new CheckSchedule(
    {
      confirmationSpacingMs: 60_000,
      pendingDeleteConfirmationSpacingMs: 10_000,
      expiringWindowDays: 30,
      ...changes,
    },
    TimeUnits.fromScale(timeScale),
    random,
    forecast,
    slot,
    () => steadySince,
  );
}

export function aName(intervalMinutes = 60): WatchedName {
  return WatchedName.create(DomainName.restore('lapsed.example'), 'example', intervalMinutes, monday);
}

export function aNewWatch(changes: Partial<NewWatch> = {}): NewWatch {
  const domain = DomainName.restore('lapsed.example');
  return { accountId: 'acc_1', domain, ...INITIAL_SETTINGS, intervalMinutes: 60, ...changes };
}

/** An entry that has already taken in the given situation. */
export function aWatch(situation?: Situation, expiringWindowDays = 30): WatchEntry {
  const domain = DomainName.restore('lapsed.example');
  const entry = WatchEntry.start(aNewWatch({ domain, expiringWindowDays }), monday);
  if (situation) entry.applyFacts(confirmed(facts[situation]), monday);
  entry.releaseEvents();
  return entry;
}

/** The events that receivers get. */
export function publicEvents(entry: WatchEntry): DomainEvent[] {
  return entry.releaseEvents().filter(({ type }) => type.startsWith('watchlist.'));
}
