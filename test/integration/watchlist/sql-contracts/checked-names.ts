import fc from 'fast-check';
import {
  DomainName,
  toRegistrationRecord,
  type LookupFailure,
  type LookupResult,
  type Observation,
} from '../../../../src/domains/language.js';
import type { Testimony } from '../../../../src/domains/domain/lookup/lookup-result.js';
import { MINUTE } from '../../../../src/kernel/clock.js';
import { WatchedName } from '../../../../src/watchlist/domain/watched-name.js';
import {
  aDnsVeto,
  aFailure,
  anEvidence,
  anObservation,
  aSchedule,
  at,
  BELIEVED,
  facts,
} from '../../../unit/watchlist/builders.js';

/** When the generated results are recorded. */
export const NOW = new Date('2026-11-23T09:00:00.000Z');
/** Jitter and offsets are constants: both write paths compute the same times. */
export const SCHEDULE = aSchedule();

/** A name with its earlier results, the result of the leased check, and what happened to its row meanwhile. */
export interface CheckedNameShape {
  readonly intervalMinutes: number;
  readonly operator: 'sandbox' | 'former';
  readonly earlier: readonly ResultShape[];
  readonly last: ResultShape;
  readonly lease: 'valid' | 'expired' | 'lost';
  readonly meanwhile: 'nothing' | 'rescheduled' | 'deactivated';
}

interface ResultShape {
  /** Minutes before the next result; a negative number makes that one outdated. */
  readonly minutesBefore: number;
  readonly kind: 'observation' | 'failure' | 'veto';
  readonly facts: keyof typeof facts;
  readonly isStatusOrderReversed: boolean;
  readonly publishesExpiry: boolean | null;
  readonly source: Observation['source'];
  readonly witnesses: number;
  readonly zone: Testimony['zone'];
  readonly recheckWithinMs: number | null;
  readonly record: Parameters<typeof toRegistrationRecord>[0] | null;
  readonly notSent: Exclude<LookupFailure['notSent'], undefined> | null;
  readonly code: LookupFailure['code'];
  readonly retryAfterSeconds: number | null;
}

const FIRST_RECORD = { nameservers: ['ns1.example.net'], registrar: { name: 'One', ianaId: '1' }, ds: [] };
const SECOND_RECORD = { ...FIRST_RECORD, nameservers: ['ns2.example.net'], registrar: { name: 'Two', ianaId: '2' } };

const resultShapes = fc.record<ResultShape>({
  // around the spacing of two lookups, within the interval, and beyond the validity of a first sighting
  minutesBefore: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer({ min: 10, max: 90 }), fc.constant(1_500)),
  kind: fc.constantFrom('observation', 'observation', 'observation', 'failure', 'veto'),
  facts: fc.constantFrom(...(Object.keys(facts) as (keyof typeof facts)[])),
  isStatusOrderReversed: fc.boolean(),
  publishesExpiry: fc.constantFrom(true, true, true, false, null),
  source: fc.constantFrom('rdap', 'whois'),
  witnesses: fc.constantFrom(1, 1, 1, 2),
  zone: fc.constantFrom('denies', 'silent', 'off'),
  recheckWithinMs: fc.option(fc.integer({ min: 1, max: 90 * MINUTE })),
  record: fc.constantFrom(null, {}, FIRST_RECORD, FIRST_RECORD, SECOND_RECORD),
  notSent: fc.constantFrom('budget', 'block', 'breaker', null, null, null),
  code: fc.constantFrom('registry_unreachable', 'registry_timeout', 'registry_throttled'),
  retryAfterSeconds: fc.option(fc.nat(7_200)),
});

export const checkedNameShapes = fc.array(
  fc.record<CheckedNameShape>({
    intervalMinutes: fc.integer({ min: 1, max: 1_440 }),
    operator: fc.constantFrom('sandbox', 'sandbox', 'sandbox', 'former'),
    earlier: fc.array(resultShapes, { maxLength: 4 }),
    last: resultShapes,
    lease: fc.constantFrom('valid', 'valid', 'valid', 'expired', 'lost'),
    meanwhile: fc.constantFrom('nothing', 'nothing', 'nothing', 'rescheduled', 'deactivated'),
  }),
  { minLength: 1, maxLength: 25 },
);

/** The name as it was stored before its check, and the result of that check. */
export function checkName({ intervalMinutes, operator, earlier, last }: CheckedNameShape, domain: string) {
  const results: LookupResult[] = [];
  let observedAt = NOW;
  for (const shape of [last, ...earlier]) {
    results.unshift(toResult(shape, observedAt));
    observedAt = at(-shape.minutesBefore * MINUTE, observedAt);
  }
  const result = results.pop() ?? aFailure();
  const watchedName = WatchedName.create(DomainName.restore(domain), operator, intervalMinutes, observedAt);
  for (const one of results) {
    watchedName.applyRecord(one, {}, SCHEDULE, one.observedAt);
    watchedName.applyResult(one, SCHEDULE, one.observedAt);
  }
  return { watchedName, result };
}

function toResult(shape: ResultShape, observedAt: Date): LookupResult {
  if (shape.kind === 'veto') return aDnsVeto(observedAt);
  const { notSent, code, retryAfterSeconds } = shape;
  if (shape.kind === 'failure')
    return aFailure(observedAt, { code, retryAfterSeconds, ...(notSent !== null && { notSent }) });
  const { source, witnesses, zone, recheckWithinMs, isStatusOrderReversed, publishesExpiry } = shape;
  const usual = facts[shape.facts];
  const statuses = isStatusOrderReversed ? usual.statuses.toReversed() : usual.statuses;
  const evidence = [anEvidence(observedAt)];
  return anObservation({ ...usual, statuses, publishesExpiry }, observedAt, {
    source,
    witnesses,
    recheckWithinMs,
    evidence,
    ...(shape.record && usual.outcome === 'found' && { record: toRegistrationRecord(shape.record) }),
    ...(usual.outcome === 'absent' && { testimony: { ...BELIEVED, zone } }),
  });
}
