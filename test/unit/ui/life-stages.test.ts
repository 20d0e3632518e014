import { describe, expect, it } from '@jest/globals';
import type { EntryDetails, Interval, Lifecycle } from '../../../clients/typescript/src/index.js';
import { toStages } from '../../../ui/src/screens/name/life-stages.js';

const NOW = new Date('2026-11-22T12:00:00Z');

function stagesOf(
  details: Pick<EntryDetails, 'phase' | 'expires_at'>,
  lifecycle: Partial<Lifecycle> = {},
  history: readonly Partial<Interval>[] = [],
) {
  const known = { details: { expiring_window_days: 30, ...details }, lifecycle, evidence: [], history };
  return toStages(known as unknown as Parameters<typeof toStages>[0], NOW);
}

const window = { earliest: '2026-11-20T00:00:00Z', likely: null, latest: '2026-11-25T00:00:00Z', basis: 'a rule' };

describe('the life cycle shown for a name', () => {
  it.each([
    ['registered', 'registered'],
    ['hold', 'registered'],
    ['expiring', 'expiring'],
    ['expired_grace', 'expired_grace'],
    ['pending_restore', 'redemption'],
    ['pending_delete', 'pending_delete'],
    ['available', 'available'],
  ] as const)('shows for a name in phase %s the current stage %s', (phase, stage) => {
    const current = stagesOf({ phase, expires_at: null }).filter(({ state }) => state === 'current');
    expect(current.map(({ id }) => id)).toEqual([stage]);
  });

  it('shows no current stage for a name that the registry reserves', () => {
    const stages = stagesOf({ phase: 'reserved', expires_at: null });
    expect(stages.map(({ state }) => state)).not.toContain('current');
  });

  it('shows the drop window as the current stage once it has begun, and names its rule', () => {
    const lifecycle = { drop_window: { ...window, confidence: 'high' as const } };
    const stages = stagesOf({ phase: 'pending_delete', expires_at: null }, lifecycle);
    const current = stages.find(({ state }) => state === 'current');
    expect(current).toMatchObject({ id: 'drop_window', from: 'Calculated: a rule' });
  });

  it('shows half the progress when half the time of the current stage has passed', () => {
    const lifecycle = { registered_at: '2026-08-14T12:00:00Z' };
    const stages = stagesOf({ phase: 'registered', expires_at: '2027-04-01T12:00:00Z' }, lifecycle);
    expect(stages[0]?.progress).toBeCloseTo(0.5, 1);
  });

  it('shows no date from before the name’s current registration', () => {
    const history = [{ phase: 'registered' }, { phase: 'redemption', first_seen_at: '2025-01-01T00:00:00Z' }] as const;
    const stages = stagesOf({ phase: 'registered', expires_at: null }, {}, history);
    expect(stages.find(({ id }) => id === 'redemption')?.when).toBeNull();
  });
});
