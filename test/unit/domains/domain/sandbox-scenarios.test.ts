import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { deriveLifecycle } from '../../../../src/domains/domain/lifecycle/lifecycle.js';
import { sandboxAnswer } from '../../../../src/domains/sources/sandbox-source.js';
import { isTransferLocked } from '../../../../src/domains/domain/record/registration-record.js';
import { after, SECOND } from '../../../../src/kernel/clock.js';

const now = new Date('2026-11-21T12:00:00Z');

function phaseOf(name: string, at = now, windowDays = 30): string {
  const answer = sandboxAnswer(name, at);
  return answer.kind === 'failure' ? answer.code : deriveLifecycle(answer.facts, windowDays, at).phase;
}

describe('a sandbox name', () => {
  it.each([
    ['available.test', 'available'],
    ['registered.test', 'registered'],
    ['expiring.test', 'expiring'],
    ['expired-grace.test', 'expired_grace'],
    ['redemption.test', 'redemption'],
    ['pending-delete.test', 'pending_delete'],
    ['reserved.test', 'reserved'],
    ['throttled.test', 'registry_throttled'],
    ['timeout.test', 'registry_timeout'],
    ['unreachable.test', 'registry_unreachable'],
    ['garbage.test', 'registry_answer_unusable'],
    ['ci--expiring.test', 'expiring'],
    ['a--b-1--pending-delete.test', 'pending_delete'],
    ['my-shop.test', 'registered'],
    ['constructor.test', 'registered'],
    ['ci--unknown-label.test', 'registered'],
    ['lifecycle-11s.test', 'registered'],
    ['moving-60s.test', 'registered'],
    ['ci--moving-60s.test', 'registered'],
    ['moving-1s.test', 'registered'],
    ['lifecycle-s.test', 'registered'],
    ['123.test', 'registered'],
  ])('determines the phase or error that a lookup gives: %s gives %s', (name, phase) => {
    expect(phaseOf(name)).toBe(phase);
  });

  it('is confirmed as available by one lookup, which counts as two sources', () => {
    expect(sandboxAnswer('available.test', now)).toMatchObject({ simulated: { witnesses: 2, recheckWithinMs: null } });
  });

  it('switches between two registrars every 60 seconds if it is moving-60s.test', () => {
    const seen = [0, 30, 60, 90, 120].map((seconds) => {
      const answer = sandboxAnswer('moving-60s.test', after(now, seconds * SECOND));
      if (answer.kind !== 'facts' || !answer.record) throw new Error('it is registered');
      const { nameservers, registrar, statuses, ds } = answer.record;
      return [nameservers?.[0], registrar?.ianaId, isTransferLocked(statuses), ds?.length];
    });
    const [here, there] = [
      ['ns1.sandbox.test', '9995', true, 1],
      ['ns1.elsewhere.test', '9996', false, 0],
    ] as const;
    expect(seen).toEqual([here, here, there, there, here]);
  });

  it('has a record only if registered, with the same statuses as the lookup facts', () => {
    const answers = [
      'registered',
      'expiring',
      'pending-delete',
      'available',
      'reserved',
      'lifecycle-60s',
      'moving-60s',
    ].map((label) => sandboxAnswer(`${label}.test`, now));
    for (const answer of answers) {
      if (answer.kind !== 'facts') throw new Error('it has facts');
      const isRegistered = answer.facts.outcome === 'found' && answer.facts.statuses.length > 0;
      expect(answer.record?.statuses ?? []).toEqual(isRegistered ? [...answer.facts.statuses].sort() : []);
      expect(answer.record === undefined).toBe(answer.facts.outcome !== 'found');
    }
  });

  it('asks for a pause of 30 seconds if it is throttled.test', () => {
    expect(sandboxAnswer('throttled.test', now)).toMatchObject({ retryAfterSeconds: 30 });
  });

  it('keeps its phase on every date, however many days before expiry count as expiring', () => {
    const instants = fc.date({ min: now, max: new Date('2040-01-01T00:00:00Z'), noInvalidDate: true });
    fc.assert(
      fc.property(instants, fc.integer({ min: 1, max: 365 }), (at, window) => {
        expect(phaseOf('registered.test', at, window)).toBe('registered');
        expect(phaseOf('expiring.test', at, window)).toBe('expiring');
      }),
    );
  });

  it('switches between registered and available every 20 seconds if it is flapping.test', () => {
    const every10Seconds = Array.from({ length: 8 }, (_, i) => phaseOf('flapping.test', after(now, i * 10 * SECOND)));
    expect(every10Seconds).toEqual([
      'registered',
      'registered',
      'available',
      'available',
      'registered',
      'registered',
      'available',
      'available',
    ]);
    expect(sandboxAnswer('flapping.test', now)).toMatchObject({ simulated: { witnesses: 1, recheckWithinMs: 10_000 } });
  });
});

describe('a sandbox name like lifecycle-60s.test', () => {
  const midnight = new Date('2026-11-21T00:00:00Z');
  const slots = (name: string, seconds: number, windowDays: number) =>
    Array.from({ length: 12 }, (_, i) => phaseOf(name, after(midnight, (i * seconds * SECOND) / 12), windowDays));

  it.each([12, 60, 3_600, 86_400])('goes through all phases from registered to available in %d seconds', (seconds) => {
    for (const window of [1, 30, 365]) {
      expect(slots(`lifecycle-${seconds}s.test`, seconds, window)).toEqual([
        'registered',
        'registered',
        'registered',
        'expiring',
        'expiring',
        'expired_grace',
        'redemption',
        'redemption',
        'pending_delete',
        'pending_delete',
        'available',
        'available',
      ]);
    }
  });

  it('has a new registration date in each cycle and asks for rechecks within 5 seconds', () => {
    const registeredAt = (at: Date) => {
      const answer = sandboxAnswer('lifecycle-60s.test', at);
      return answer.kind === 'facts' ? answer.facts.registeredAt?.toISOString() : undefined;
    };
    const cycle = [0, 1, 29].map((seconds) => registeredAt(after(now, seconds * SECOND)));
    expect(cycle).toEqual(Array(3).fill(now.toISOString()));
    expect(registeredAt(after(now, 60 * SECOND))).toBe('2026-11-21T12:01:00.000Z');
    expect(sandboxAnswer('lifecycle-60s.test', now)).toMatchObject({
      simulated: { witnesses: 2, recheckWithinMs: 5_000 },
    });
  });
});
