import { describe, expect, it } from '@jest/globals';
import { SIMULATED_TESTIMONY } from '../../../../src/domains/domain/lookup/lookup-result.js';
import { found } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { toRegistrationRecord } from '../../../../src/domains/domain/record/registration-record.js';
import { parseObservation, serializeObservation } from '../../../../src/domains/lookups/lookups.repository.js';
import { observation } from '../../../support/builders/observations.js';

const observedAt = new Date('2026-11-21T12:00:00Z');
const observed = observation(found({ expiresAt: observedAt, releasesAt: observedAt }), observedAt, {
  recheckWithinMs: 5_000,
  testimony: SIMULATED_TESTIMONY,
});
describe('a stored lookup', () => {
  it('keeps the registration facts in a separate string from the rest of the result', () => {
    const { facts, observation: rest } = serializeObservation(observed);
    expect(JSON.parse(facts)).toMatchObject({ outcome: 'found' });
    expect(JSON.parse(rest)).not.toHaveProperty('facts');
  });

  it('is read back unchanged, with and without a registration record', () => {
    const record = toRegistrationRecord({ nameservers: ['ns1.example.net'], lastTransferAt: observedAt });
    expect(parseObservation(serializeObservation({ ...observed, record }))).toEqual({ ...observed, record });
    expect(parseObservation(serializeObservation(observed))).toEqual(observed);
  });
});
