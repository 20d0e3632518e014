import { describe, expect, it } from '@jest/globals';
import {
  addSecondWitness,
  doubtAbsence,
  needsSecondWitness,
  skipDnsCheck,
} from '../../../../src/domains/domain/lookup/availability.js';
import type { LookupFailure, LookupResult, Observation } from '../../../../src/domains/domain/lookup/lookup-result.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import {
  absent,
  found,
  premium,
  reserved,
  type RegistrationFacts,
} from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { observation } from '../../../support/builders/observations.js';

const name = DomainName.restore('example.co.uk');
const asked = new Date('2026-11-21T02:00:00.000Z');
const askedAgain = new Date('2026-11-21T02:00:01.000Z');

const answering = (facts: RegistrationFacts, changes: Partial<Observation> = {}) =>
  observation(facts, changes.observedAt ?? asked, changes);
const failing = (code: LookupFailure['code']): LookupFailure => {
  const evidence = [
    { ...answering(absent).evidence[0], outcome: 'inconclusive', rule: 'rdap.429' },
  ] as Observation['evidence'];
  const failure = { registry: 'rdap.example', retryAfterSeconds: 30, observedAt: askedAgain, evidence };
  return { kind: 'failure', code, notSent: 'budget', ...failure };
};

describe('a second witness', () => {
  it.each([
    ['DNS is turned off', answering(absent), true],
    ['the zone is private', answering(absent, { isPrivateZone: true }), true],
    ['DNS gives no answer', answering(absent, { delegation: 'inconclusive' }), true],
    ['the zone does not delegate the name', answering(absent, { delegation: 'not_delegated' }), false],
    ['the registry was asked again already', answering(absent, { hasSecondWitness: true }), false],
    ['two protocols agree', answering(absent, { witnesses: 2 }), false],
    ['the name is registered', answering(found()), false],
    ['the name is reserved', answering(reserved), false],
    ['the lookup failed', failing('registry_timeout'), false],
  ])('of an answer, where %s: %#', (_where, result: LookupResult, isNeeded) => {
    expect(needsSecondWitness(result)).toBe(isNeeded);
  });
});

describe('an absence that the registry is asked about again', () => {
  const first = answering(absent, { delegation: 'inconclusive' });
  const second = (facts: RegistrationFacts) => answering(facts, { source: 'whois', observedAt: askedAgain });

  it('holds if the registry has no record again, with the time of the first answer and the evidence of both', () => {
    const result = addSecondWitness(name, first, second(absent));
    expect(result).toMatchObject({ kind: 'observation', facts: absent, observedAt: asked, hasSecondWitness: true });
    expect(result.evidence).toMatchObject([{ source: 'rdap' }, { source: 'whois', observedAt: askedAgain }]);
    expect(needsSecondWitness(result)).toBe(false);
  });

  it.each([
    ['second', first, second(premium)],
    ['first', { ...first, facts: premium }, second(absent)],
  ])('is offered at a premium if the %s answer says so', (_which, absence, again) => {
    const facts = { outcome: 'absent', registrable: 'premium' };
    expect(addSecondWitness(name, absence, again)).toMatchObject({ kind: 'observation', facts });
  });

  it('counts as one witness for a watch all the same', () => {
    expect(addSecondWitness(name, first, second(absent))).toMatchObject({ witnesses: 1 });
  });

  it.each([
    ['found', found()],
    ['reserved', reserved],
  ])('is an error and no status if the name is %s then', (_outcome, facts) => {
    expect(addSecondWitness(name, first, second(facts))).toMatchObject({
      kind: 'failure',
      code: 'registry_answer_unusable',
      doubt: 'second_witness',
      observedAt: askedAgain,
      registry: 'rdap.example',
      evidence: [{ outcome: 'absent' }, { outcome: facts.outcome }],
    });
  });

  it.each(['registry_throttled', 'registry_timeout', 'registry_unreachable', 'registry_answer_unusable'] as const)(
    'is the error of the second answer: %s',
    (code) => {
      const { evidence: said, ...failure } = failing(code);
      const result = addSecondWitness(name, first, failing(code));
      expect(result).toEqual({ ...failure, evidence: [...first.evidence, ...said] });
    },
  );

  it('says in its evidence that DNS was not asked', () => {
    const { evidence } = addSecondWitness(name, answering(absent), second(absent));
    expect(evidence).toMatchObject([
      { source: 'rdap', outcome: 'absent' },
      { source: 'dns', server: 'co.uk.', outcome: 'inconclusive', rule: 'dns.off' },
      { source: 'whois', outcome: 'absent' },
    ]);
  });

  it('says once in its evidence that DNS was not asked in a private zone, and why', () => {
    const absence = skipDnsCheck(name, answering(absent, { isPrivateZone: true }));
    const excerpt = 'not asked: the source rdap says that its zone is private';
    expect(addSecondWitness(name, absence, second(absent)).evidence).toMatchObject([
      { source: 'rdap', outcome: 'absent' },
      { source: 'dns', server: 'co.uk.', outcome: 'inconclusive', rule: 'dns.private_zone', excerpt },
      { source: 'whois', outcome: 'absent' },
    ]);
  });
});

describe('an absence that is not believed', () => {
  it.each(['drops_held', 'canary_failed'] as const)('is an answer of the registry that cannot be used: %s', (doubt) => {
    const absence = answering(absent, { delegation: 'not_delegated' });
    const failure = { kind: 'failure', code: 'registry_answer_unusable', registry: 'rdap.example', doubt };
    expect(doubtAbsence(absence, doubt)).toMatchObject({ ...failure, evidence: absence.evidence });
  });
});
