import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type AbsenceVerdict,
  clearsZone,
  doubtAbsence,
  judgeAbsence,
  type Purpose,
} from '../../../../src/domains/domain/lookup/absence.js';
import type { Testimony } from '../../../../src/domains/domain/lookup/lookup-result.js';
import { absent, found, reserved } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { observation } from '../../../support/builders/observations.js';

const NOTHING_HEARD: Testimony = {
  zone: null,
  zoneHadIt: false,
  canary: null,
  secondAnswer: null,
  isChange: false,
  hasLasted: false,
};
const DENIED: Testimony = { ...NOTHING_HEARD, zone: 'denies', canary: 'found_recently' };
const SILENT: Testimony = { ...NOTHING_HEARD, zone: 'silent', canary: 'found_since', secondAnswer: 'no_record' };

const inWords = (verdict: AbsenceVerdict) => {
  if (verdict.kind === 'doubted') return `doubted: ${verdict.doubt}`;
  return verdict.kind === 'open' ? `ask ${verdict.missing.join(' and ')}` : 'believed';
};

describe('a not-found answer', () => {
  it.each<[string, Testimony, string, string]>([
    [
      'needs a DNS answer and the lookup of a known registered name if nothing was asked yet',
      NOTHING_HEARD,
      'ask zone and canary',
      'ask zone and canary',
    ],
    [
      'needs the lookup of a known registered name if DNS does not have the name either',
      { ...DENIED, canary: null },
      'ask canary',
      'ask canary',
    ],
    [
      'is trusted (for a watch, only after a later lookup) if DNS agrees and a known name was found',
      DENIED,
      'believed',
      'ask time',
    ],
    [
      'needs a new lookup of a known registered name if the registry had a record before',
      { ...DENIED, isChange: true },
      'ask canary',
      'ask canary',
    ],
    [
      'is trusted (for a watch, only after a later lookup) despite an earlier record if a known name was found since',
      { ...DENIED, isChange: true, canary: 'found_since' },
      'believed',
      'ask time',
    ],
    [
      'is trusted, also for a watch, despite an earlier record, if a later lookup repeats it',
      { ...DENIED, isChange: true, canary: 'found_since', hasLasted: true },
      'believed',
      'believed',
    ],
    [
      'is trusted (for a watch, only after a later lookup) if DNS agrees and no registered name is known',
      { ...DENIED, canary: 'unproven' },
      'believed',
      'ask time',
    ],
    [
      'is not trusted if the registry does not find a known registered name either',
      { ...DENIED, canary: 'missing' },
      'doubted: canary_missing',
      'doubted: canary_missing',
    ],
    ['is not trusted if DNS has the name', { ...DENIED, zone: 'has_it' }, 'doubted: in_zone', 'doubted: in_zone'],
    [
      'needs a second answer (for a watch, a later lookup) if DNS does not answer',
      { ...SILENT, secondAnswer: null },
      'ask second_answer',
      'ask time',
    ],
    [
      'is trusted (for a watch, only after a later lookup) if DNS does not answer and the registry answered twice',
      SILENT,
      'believed',
      'ask time',
    ],
    [
      'needs a new lookup of a known name (for a watch, a later lookup of this name) if DNS does not answer',
      { ...SILENT, canary: 'found_recently' },
      'ask canary',
      'ask time',
    ],
    [
      'needs the lookup of a known name (for a check, also a second answer) if DNS does not answer',
      { ...SILENT, secondAnswer: null, canary: null },
      'ask canary and second_answer',
      'ask canary',
    ],
    [
      'is not trusted if the registry’s second answer is a record',
      { ...SILENT, secondAnswer: 'record' },
      'doubted: second_answer',
      'doubted: second_answer',
    ],
    [
      'is trusted (for a watch, only after a later lookup) if DNS checks are off and the registry answered twice',
      { ...SILENT, zone: 'off' },
      'believed',
      'ask time',
    ],
    [
      'is not trusted if DNS checks are off and DNS had the name before',
      { ...SILENT, zone: 'off', zoneHadIt: true },
      'doubted: in_zone',
      'doubted: in_zone',
    ],
    [
      'is not trusted if DNS does not answer and had the name before',
      { ...SILENT, zoneHadIt: true },
      'doubted: in_zone',
      'doubted: in_zone',
    ],
    [
      'is trusted (for a watch, only after a later lookup) if DNS had the name before but no longer does',
      { ...DENIED, zoneHadIt: true },
      'believed',
      'ask time',
    ],
    [
      'is trusted (for a watch, only after a later lookup) if the zone is private and the registry answered twice',
      { ...SILENT, zone: 'private' },
      'believed',
      'ask time',
    ],
    [
      'is trusted (for a watch, only after a later lookup) if the zone is private, even if public DNS had the name',
      { ...SILENT, zone: 'private', zoneHadIt: true },
      'believed',
      'ask time',
    ],
  ])('%s', (_where, testimony, check, watch) => {
    expect([inWords(judgeAbsence(testimony, 'check')), inWords(judgeAbsence(testimony, 'watch'))]).toEqual([
      check,
      watch,
    ]);
  });
});

const testimonies: fc.Arbitrary<Testimony> = fc.record({
  zone: fc.constantFrom('denies', 'has_it', 'silent', 'off', 'private', null),
  zoneHadIt: fc.boolean(),
  canary: fc.constantFrom('found_since', 'found_recently', 'missing', 'unproven', null),
  secondAnswer: fc.constantFrom('no_record', 'record', null),
  isChange: fc.boolean(),
  hasLasted: fc.boolean(),
});
const purposes = fc.constantFrom<Purpose>('check', 'watch');
const every = (property: (testimony: Testimony, verdict: AbsenceVerdict, purpose: Purpose) => boolean | void) =>
  fc.assert(
    fc.property(testimonies, purposes, (testimony, purpose) =>
      property(testimony, judgeAbsence(testimony, purpose), purpose),
    ),
    { numRuns: 2_000 },
  );

describe('a not-found answer with any evidence', () => {
  it('is not trusted if DNS, a known registered name or a second registry answer contradicts it', () =>
    every(({ zone, zoneHadIt, canary, secondAnswer }, verdict) => {
      const isForbidden = zone === 'has_it' || canary === 'missing' || secondAnswer === 'record';
      const isRemembered = zoneHadIt && (zone === 'silent' || zone === 'off');
      expect(verdict.kind === 'doubted').toBe(isForbidden || isRemembered);
    }));

  it('is trusted only if both DNS and a known registered name were asked', () =>
    every(({ zone, canary }, verdict) => {
      if (verdict.kind === 'believed') expect([zone, canary]).not.toContain(null);
    }));

  it('is trusted by a check only if DNS denies the name or a second registry answer agrees', () =>
    every(({ zone, secondAnswer }, verdict, purpose) => {
      if (verdict.kind === 'believed' && purpose === 'check')
        expect(zone === 'denies' || secondAnswer === 'no_record').toBe(true);
    }));

  it('is trusted by a watch only if the answer has lasted', () =>
    every(({ hasLasted }, verdict, purpose) => {
      if (verdict.kind === 'believed' && purpose === 'watch') expect(hasLasted).toBe(true);
    }));

  it('is not trusted after an earlier record if a known name was found only before the answer', () =>
    every(({ isChange, canary }, verdict) => {
      if (isChange && verdict.kind === 'believed') expect(canary).not.toBe('found_recently');
    }));

  it('is decided after at most two rounds of further queries, or needs only time', () =>
    every((testimony, _verdict, purpose) => {
      let heard = testimony;
      for (let round = 0; round < 2; round += 1) {
        const verdict = judgeAbsence(heard, purpose);
        if (verdict.kind !== 'open') return;
        for (const witness of verdict.missing)
          if (witness === 'zone') heard = { ...heard, zone: 'silent' };
          else if (witness === 'canary') heard = { ...heard, canary: 'found_since' };
          else if (witness === 'second_answer') heard = { ...heard, secondAnswer: 'no_record' };
      }
      const last = judgeAbsence(heard, purpose);
      expect(last.kind === 'open' ? last.missing : []).toEqual(last.kind === 'open' ? ['time'] : []);
    }));
});

describe('a not-found answer that is not trusted', () => {
  const asked = new Date('2026-11-21T02:00:00.000Z');

  it.each(['in_zone', 'second_answer', 'canary_missing'] as const)(
    'is an error and no status, for the reason %s',
    (doubt) => {
      const absence = observation(absent, asked);
      const failure = { kind: 'failure', code: 'registry_answer_unusable', registry: 'rdap.example', doubt };
      expect(doubtAbsence(absence, doubt, absence.evidence)).toMatchObject({ ...failure, doubted: { facts: absent } });
    },
  );

  it.each([
    [
      'stops being an error once the parent zone answers not found',
      observation(absent, asked, { testimony: DENIED }),
      true,
    ],
    [
      'stops being an error once the parent zone is private',
      observation(absent, asked, { testimony: { ...SILENT, zone: 'private' } }),
      true,
    ],
    ['stays an error while the parent zone does not answer', observation(absent, asked, { testimony: SILENT }), false],
    ['stops being an error once the registry has a record', observation(found(), asked), true],
    ['stops being an error once the registry reports the name as reserved', observation(reserved, asked), true],
  ])('%s', (_what, result, isCleared) => {
    expect(clearsZone(result)).toBe(isCleared);
  });
});
