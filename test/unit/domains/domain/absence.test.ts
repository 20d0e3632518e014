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

describe('an absence', () => {
  it.each<[string, Testimony, string, string]>([
    ['nobody was asked', NOTHING_HEARD, 'ask zone and canary', 'ask zone and canary'],
    ['the zone denies the name', { ...DENIED, canary: null }, 'ask canary', 'ask canary'],
    ['the zone denies it, and a canary was found before', DENIED, 'believed', 'ask time'],
    ['… against an earlier record', { ...DENIED, isChange: true }, 'ask canary', 'ask canary'],
    ['… and since', { ...DENIED, isChange: true, canary: 'found_since' }, 'believed', 'ask time'],
    [
      '… and it has lasted',
      { ...DENIED, isChange: true, canary: 'found_since', hasLasted: true },
      'believed',
      'believed',
    ],
    ['nothing is known to exist there', { ...DENIED, canary: 'unproven' }, 'believed', 'ask time'],
    ['a canary is missing', { ...DENIED, canary: 'missing' }, 'doubted: canary_missing', 'doubted: canary_missing'],
    ['the zone has the name', { ...DENIED, zone: 'has_it' }, 'doubted: in_zone', 'doubted: in_zone'],
    ['the zone is silent', { ...SILENT, secondAnswer: null }, 'ask second_answer', 'ask time'],
    ['… and the registry denies it twice', SILENT, 'believed', 'ask time'],
    ['… with a canary of before', { ...SILENT, canary: 'found_recently' }, 'ask canary', 'ask time'],
    [
      '… and was asked once',
      { ...SILENT, secondAnswer: null, canary: null },
      'ask canary and second_answer',
      'ask canary',
    ],
    [
      'the registry says otherwise',
      { ...SILENT, secondAnswer: 'record' },
      'doubted: second_answer',
      'doubted: second_answer',
    ],
    ['DNS is off', { ...SILENT, zone: 'off' }, 'believed', 'ask time'],
    [
      'DNS is off, and had the name before',
      { ...SILENT, zone: 'off', zoneHadIt: true },
      'doubted: in_zone',
      'doubted: in_zone',
    ],
    ['the zone is silent that had it before', { ...SILENT, zoneHadIt: true }, 'doubted: in_zone', 'doubted: in_zone'],
    ['the zone denies what it had before', { ...DENIED, zoneHadIt: true }, 'believed', 'ask time'],
    ['the zone is private', { ...SILENT, zone: 'private' }, 'believed', 'ask time'],
    [
      'the zone is private, whatever the public one had',
      { ...SILENT, zone: 'private', zoneHadIt: true },
      'believed',
      'ask time',
    ],
  ])('where %s: for a check and for a watch', (_where, testimony, check, watch) => {
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

describe('any combination of evidence', () => {
  it('is refused if one witness contradicts it', () =>
    every(({ zone, zoneHadIt, canary, secondAnswer }, verdict) => {
      const isForbidden = zone === 'has_it' || canary === 'missing' || secondAnswer === 'record';
      const isRemembered = zoneHadIt && (zone === 'silent' || zone === 'off');
      expect(verdict.kind === 'doubted').toBe(isForbidden || isRemembered);
    }));

  it('does not prove an absence unless zone and canary were asked', () =>
    every(({ zone, canary }, verdict) => {
      if (verdict.kind === 'believed') expect([zone, canary]).not.toContain(null);
    }));

  it('does not prove an absence to a check unless the zone denies the name or a second answer agrees', () =>
    every(({ zone, secondAnswer }, verdict, purpose) => {
      if (verdict.kind === 'believed' && purpose === 'check')
        expect(zone === 'denies' || secondAnswer === 'no_record').toBe(true);
    }));

  it('does not prove an absence to a watch unless it has lasted', () =>
    every(({ hasLasted }, verdict, purpose) => {
      if (verdict.kind === 'believed' && purpose === 'watch') expect(hasLasted).toBe(true);
    }));

  it('does not outweigh an earlier record with a canary found before the answer', () =>
    every(({ isChange, canary }, verdict) => {
      if (isChange && verdict.kind === 'believed') expect(canary).not.toBe('found_recently');
    }));

  it('leads to a verdict after at most two rounds of asking the missing witnesses', () =>
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

describe('an absence that is not believed', () => {
  const asked = new Date('2026-11-21T02:00:00.000Z');

  it.each(['in_zone', 'second_answer', 'canary_missing'] as const)('is an error and no status: %s', (doubt) => {
    const absence = observation(absent, asked);
    const failure = { kind: 'failure', code: 'registry_answer_unusable', registry: 'rdap.example', doubt };
    expect(doubtAbsence(absence, doubt, absence.evidence)).toMatchObject({ ...failure, doubted: { facts: absent } });
  });

  it.each([
    ['its zone denies the name', observation(absent, asked, { testimony: DENIED }), true],
    ['its zone is private', observation(absent, asked, { testimony: { ...SILENT, zone: 'private' } }), true],
    ['its zone is silent', observation(absent, asked, { testimony: SILENT }), false],
    ['the registry has a record', observation(found(), asked), true],
    ['the registry has it reserved', observation(reserved, asked), true],
  ])('stays an error until a later result: %s', (_what, result, isCleared) => {
    expect(clearsZone(result)).toBe(isCleared);
  });
});
