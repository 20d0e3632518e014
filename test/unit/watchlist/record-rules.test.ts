import { describe, expect, it } from '@jest/globals';
import { toRegistrationRecord } from '../../../src/domains/language.js';
import { DAY, HOUR, MINUTE } from '../../../src/kernel/clock.js';
import type { ParentZoneReports } from '../../../src/watchlist/domain/record-rules.js';
import type { WatchedName } from '../../../src/watchlist/domain/watched-name.js';
import { RecordStateColumn } from '../../../src/watchlist/mappings.js';
import { aFailure, aName, anObservation, aSchedule, at, facts, monday } from './builders.js';

type Parts = Parameters<typeof toRegistrationRecord>[0];
const A: Parts = { nameservers: ['ns1.a.net', 'ns2.a.net'], registrar: { name: 'One, Inc.', ianaId: '1' }, ds: [] };
const B: Parts = { ...A, nameservers: ['ns1.b.net', 'ns2.b.net'] };
const MOVED: Parts = { ...A, registrar: { name: 'Two', ianaId: '2' } };
const schedule = aSchedule();

/** The kinds that a lookup has changed for good. */
const check = (name: WatchedName, parts: Parts | null, when: Date, parentZone: ParentZoneReports = {}) => {
  const record = parts && { record: toRegistrationRecord(parts) };
  const result = anObservation(facts.registered, when, { ...record });
  const updates = name.applyRecord(result, parentZone, schedule, when);
  name.applyResult(result, schedule, when);
  return updates.filter(({ type }) => type === 'changed').map(({ kind }) => kind);
};
const known = (): WatchedName => {
  const name = aName();
  check(name, A, monday);
  check(name, A, at(HOUR));
  return name;
};
const IN_ZONE: ParentZoneReports = { nameservers: { verdict: 'confirmed', evidence: [] } };

describe('a change in a registration record', () => {
  it('is reported after two lookups that show the new value a minute apart', () => {
    const name = known();
    expect(check(name, MOVED, at(2 * HOUR))).toEqual([]);
    expect(name.nextCheckAt).toEqual(at(2 * HOUR + MINUTE));
    expect(check(name, MOVED, at(2 * HOUR + 1_000))).toEqual([]); // too soon
    expect(check(name, MOVED, at(2 * HOUR + MINUTE))).toEqual(['registrar']);
    expect(check(name, MOVED, at(3 * HOUR))).toEqual([]);
  });

  it('is not reported if the second lookup shows the former value or a third one', () => {
    const name = known();
    check(name, MOVED, at(2 * HOUR));
    expect(check(name, A, at(3 * HOUR))).toEqual([]);
    expect(check(name, MOVED, at(4 * HOUR))).toEqual([]);
    expect(check(name, { ...A, registrar: { name: 'Three', ianaId: '3' } }, at(5 * HOUR))).toEqual([]);
  });

  it('is not looked for in an available name until two lookups found the name registered', () => {
    const name = aName();
    name.applyResult(anObservation(facts.available, monday), schedule, monday);
    name.applyResult(anObservation(facts.available, at(HOUR)), schedule, at(HOUR));
    const expiring = (when: Date, parts: Parts) => {
      const result = anObservation(facts.expiring, when, { record: toRegistrationRecord(parts) });
      const updates = name.applyRecord(result, {}, schedule, when);
      name.applyResult(result, schedule, when);
      return updates.length;
    };
    expect([expiring(at(2 * HOUR), A), name.recordState]).toEqual([0, {}]);
    expect(name.pending).not.toBeNull();
    expect(expiring(at(3 * HOUR), B)).toBe(0);
    expect(name.facts?.outcome).toBe('found');
    expect(expiring(at(4 * HOUR), B)).toBe(3);
  });

  it.each<[string, Parts | null]>([
    [
      'values in another order and case',
      { ...A, nameservers: ['NS2.A.net.', 'ns1.a.NET'], registrar: { name: 'ONE INC' } },
    ],
    ['no record', null],
    ['only a part of the record', { registrar: { name: 'One, Inc.', ianaId: '1' } }],
    ['an empty record', {}],
  ])('is not reported for an answer that, compared with the last one, has %s', (_, parts) => {
    const name = known();
    for (const hour of [2, 3, 4]) expect(check(name, parts, at(hour * HOUR))).toEqual([]);
    expect(check(name, A, at(5 * HOUR))).toEqual([]);
  });

  it('is reported for name servers only after the parent zone confirms the new ones', () => {
    const name = known();
    check(name, B, at(2 * HOUR));
    expect(check(name, B, at(2 * HOUR + MINUTE))).toEqual([]);
    expect(name.nextCheckAt).toEqual(at(2 * HOUR + 6 * MINUTE));
    for (const verdict of ['contradicted', 'inconclusive'] as const)
      expect(check(name, B, at(4 * HOUR), { nameservers: { verdict, evidence: [] } })).toEqual([]);
    expect(name.nextCheckAt?.getTime()).toBeGreaterThan(at(4 * HOUR + 30 * MINUTE).getTime()); // not for ever in a hurry
    expect(check(name, B, at(3 * DAY), IN_ZONE)).toEqual(['nameservers']);
  });

  it('is reported with the times of the first new value and the last old value', () => {
    const name = known();
    check(name, {}, at(2 * HOUR));
    check(name, MOVED, at(3 * HOUR));
    const seen = anObservation(facts.registered, at(4 * HOUR), { record: toRegistrationRecord(MOVED) });
    expect(name.applyRecord(seen, {}, schedule, at(4 * HOUR))).toMatchObject([
      { kind: 'registrar', type: 'changed', firstSeenAt: at(3 * HOUR), previousSeenAt: at(HOUR) },
    ]);
  });

  it('is measured from the very first value, even if only one lookup showed that value', () => {
    const name = aName();
    check(name, A, monday);
    expect(check(name, MOVED, at(HOUR))).toEqual([]);
    expect(check(name, MOVED, at(2 * HOUR))).toEqual(['registrar']);
    check(name, A, at(3 * HOUR));
    expect(check(name, A, at(4 * HOUR))).toEqual(['registrar']);
  });

  it('waits longer for confirmation each time the value changes back', () => {
    const name = known();
    let when = at(2 * HOUR);
    const delays = Array.from({ length: 6 }, (_, turn) => {
      const parts = turn % 2 === 0 ? B : A;
      check(name, parts, when, IN_ZONE);
      const delay = (name.nextCheckAt?.getTime() ?? 0) - when.getTime();
      when = at(delay, when);
      expect(check(name, parts, when, IN_ZONE)).toEqual(['nameservers']);
      when = at(MINUTE, when);
      return delay / MINUTE;
    });
    expect(delays).toEqual([1, 1, 2, 4, 8, 16]);
  });

  it('brings no check forward if the latest lookup did not show the new value', () => {
    const name = known();
    check(name, MOVED, at(2 * HOUR));
    check(name, {}, at(3 * HOUR));
    expect(name.nextCheckAt?.getTime()).toBeGreaterThan(at(3 * HOUR + 30 * MINUTE).getTime());
    name.applyRecord(aFailure(at(4 * HOUR)), {}, schedule, at(4 * HOUR));
    expect(name.recordState?.registrar?.candidate).not.toBeNull();
  });

  it('is not reported if the name became available and was registered again in between', () => {
    const name = known();
    name.applyResult(anObservation(facts.available, at(2 * HOUR), { witnesses: 2 }), schedule, at(2 * HOUR));
    expect(name.recordState).toEqual({});
    check(name, MOVED, at(3 * HOUR));
    expect(check(name, MOVED, at(4 * HOUR))).toEqual([]);
  });

  it('is not seen in equal values, which leave the stored state as it is', () => {
    const name = known();
    const before = name.recordState;
    check(name, A, at(2 * HOUR));
    expect(name.recordState).toBe(before);
  });

  it('is stored as short fingerprints of the values, and read back unchanged', () => {
    const column = new RecordStateColumn();
    const name = known();
    const stored = column.convertToDatabaseValue(name.recordState) ?? '';
    expect(stored).not.toContain('a.net');
    expect(stored.length).toBeLessThan(150);
    check(name, MOVED, at(2 * HOUR));
    for (const state of [known().recordState, name.recordState])
      expect(column.convertToJSValue(column.convertToDatabaseValue(state))).toEqual(state);
  });
});
