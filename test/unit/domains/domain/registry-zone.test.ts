import { describe, expect, it } from '@jest/globals';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import { absent, found } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { observation } from '../../../support/builders/observations.js';
import { isServedByRegistry, rejectOutOfZoneAbsence } from '../../../../src/domains/domain/lookup/registry-zone.js';

const observedAt = new Date('2026-11-21T12:00:00Z');

describe('the registry of a TLD', () => {
  it.each(
    [
      'example.com',
      'example.de',
      'example.co.uk',
      'example.com.au',
      'example.co.jp',
      'example.com.br',
      'example.org.uk',
    ].concat(
      ['example.net.pl', 'example.waw.pl', 'example.oslo.no', 'example.on.ca', 'example.tokyo.jp', 'example.com.fr'],
      [
        'example.edu.au',
        'example.ac.jp',
        'example.govt.nz',
        'example.gov.br',
        'example.com.tr',
        'example.co.in',
        'example.kiev.ua',
      ],
    ),
  )('is treated as responsible for %s', (name) => {
    expect(isServedByRegistry(DomainName.restore(name))).toBe(true);
  });

  it.each(
    [
      'example.gc.ca',
      'example.ac.uk',
      'example.gov.uk',
      'example.police.uk',
      'example.k12.ca.us',
      'example.in.ua',
      'example.com.uy',
    ].concat(['example.gov.in', 'example.mil.tr', 'example.edu.mx', 'example.avocat.fr', 'example.sch.ae']),
  )('is not assumed to be responsible for %s', (name) => {
    expect(isServedByRegistry(DomainName.restore(name))).toBe(false);
  });
});

describe('a registry’s answer', () => {
  const [own, foreign] = [DomainName.restore('example.co.uk'), DomainName.restore('example.ac.uk')];

  it('is accepted as not-found only if the registry serves the zone of the name', () => {
    expect(rejectOutOfZoneAbsence(own, observation(absent, observedAt))).toEqual(observation(absent, observedAt));
    expect(rejectOutOfZoneAbsence(foreign, observation(absent, observedAt))).toMatchObject({
      kind: 'failure',
      code: 'registry_answer_unusable',
      registry: 'rdap.example',
      evidence: [{ outcome: 'inconclusive', rule: 'rdap.rule.other_zone' }],
    });
  });

  it('is accepted as a registration even if the registry does not serve the zone', () => {
    expect(rejectOutOfZoneAbsence(foreign, observation(found(), observedAt))).toEqual(observation(found(), observedAt));
  });
});
