import { describe, expect, it } from '@jest/globals';
import { failedLookup, type LookupFailure } from '../../../../src/domains/domain/lookup/lookup-result.js';
import { found } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { toRegistrationRecord } from '../../../../src/domains/domain/record/registration-record.js';
import {
  parseFailure,
  serializeFailure,
  parseObservation,
  serializeObservation,
} from '../../../../src/domains/lookup-cache/lookup-serialization.js';
import { observation } from '../../../support/builders/observations.js';

const observedAt = new Date('2026-11-21T12:00:00Z');
const observed = observation(found({ expiresAt: observedAt, releasesAt: observedAt }), observedAt, {
  recheckWithinMs: 5_000,
  delegation: 'inconclusive',
});
const failure: LookupFailure = {
  ...failedLookup('registry_throttled', 'rdap.example', observedAt, observed.evidence),
  retryAfterSeconds: 3,
  notSent: 'budget',
};

describe('a stored lookup', () => {
  it('has the facts in a text of their own, in which a change is seen', () => {
    const { facts, observation: rest } = serializeObservation(observed);
    expect(JSON.parse(facts)).toMatchObject({ outcome: 'found' });
    expect(JSON.parse(rest)).not.toHaveProperty('facts');
  });

  it('is restored unchanged', () => {
    const record = toRegistrationRecord({ nameservers: ['ns1.example.net'], lastTransferAt: observedAt });
    expect(parseObservation(serializeObservation({ ...observed, record }))).toEqual({ ...observed, record });
    expect(parseObservation(serializeObservation(observed))).toEqual(observed);
    expect(parseFailure(serializeFailure(failure))).toEqual(failure);
  });
});
