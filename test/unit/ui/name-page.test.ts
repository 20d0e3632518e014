import { describe, expect, it } from '@jest/globals';
import { toLifeLine } from '../../../ui/src/pictures/life-line.js';
import { readNewest, toStory } from '../../../ui/src/screens/name/story.js';
import { verdictOf } from '../../../ui/src/screens/name/verdict.js';

const NOW = new Date('2026-11-22T12:00:00Z');

type Known = Parameters<typeof verdictOf>[0];
type Details = Known['details'];
type Lifecycle = NonNullable<Known['lifecycle']>;

function verdict(details: Partial<Details>, lifecycle: Partial<Lifecycle> = {}, recordChangedAt: string | null = null) {
  const usual: Details = {
    ...{ phase: 'registered', purpose: 'own', expires_at: null, drift: [], pending_confirmation: null, paused: false },
  };
  const known = { drop_window: null, auto_renewed_on: null, ...lifecycle };
  return verdictOf({ details: { ...usual, ...details }, lifecycle: known, recordChangedAt }, NOW);
}

describe('the summary sentence on a name’s page', () => {
  it.each([
    [{ phase: 'available' }, 'bad', 'You lost this name: anyone can register it.'],
    [{ phase: 'available', purpose: 'acquire' }, 'good', 'Free: you can register it now.'],
    [{ phase: 'available', purpose: 'monitor' }, 'good', 'Free: anyone can register it.'],
    [{ phase: 'redemption' }, 'bad', 'Deleted. Only its registrar can still restore it.'],
    [{ phase: 'expired_grace' }, 'bad', 'Expired. Renew it now, while the grace period lasts.'],
    [{ phase: 'reserved' }, 'note', 'The registry keeps this name for itself.'],
    [{}, 'calm', 'Registered. The registry publishes no expiry date.'],
    [{ paused: true }, 'calm', 'Registered. The registry publishes no expiry date. Checks are paused.'],
    [{ expires_at: '2026-12-04T09:00:00Z' }, 'warn', 'Registered; expires in 12 days, on 4 Dec 2026.'],
    [{ expires_at: '2026-11-20T09:00:00Z' }, 'bad', 'Registered; expired 2 days ago, on 20 Nov 2026.'],
    [{ drift: ['locked'] }, 'bad', 'Transfer lock is not what you expect.'],
    [{ drift: ['locked'], phase: 'redemption' }, 'bad', 'Deleted. Only its registrar can still restore it.'],
  ] as const)('for a name with %j has the tone "%s" and says: %s', (details, tone, text) => {
    expect(verdict(details as unknown as Partial<Details>)).toEqual({ tone, text });
  });

  it('says how long ago a value changed that differs from the expected one', () => {
    const changed = verdict({ drift: ['nameservers'] }, {}, '2026-11-22T11:48:00Z');
    expect(changed.text).toBe('Name servers changed 12 minutes ago; this is not what you expect.');
  });

  it('mentions an automatic renewal by the registry, and when a name may become free', () => {
    const drop = {
      earliest: '2026-11-25T12:00:00Z',
      likely: null,
      latest: null,
      basis: '',
      confidence: 'low',
    } as const;
    expect(verdict({ phase: 'expired_grace' }, { auto_renewed_on: '2026-11-17T00:00:00Z' }).text).toContain(
      'Auto-renewed by the registry. Confirm with your registrar.',
    );
    expect(verdict({ phase: 'pending_delete' }, { drop_window: drop }).text).toContain('free in 3 days.');
    const begun = { ...drop, earliest: '2026-11-22T11:00:00Z' };
    expect(verdict({ phase: 'pending_delete' }, { drop_window: begun }).text).toContain('free at any moment.');
  });

  it('has the tone "note" before the first answer, and says if one check found a change', () => {
    const details = {
      phase: 'registered',
      purpose: 'own',
      drift: [],
      pending_confirmation: null,
    } as unknown as Details;
    expect(verdictOf({ details, lifecycle: null, recordChangedAt: null }, NOW).tone).toBe('note');
    const pending_confirmation = { status: 'available' } as Details['pending_confirmation'];
    expect(verdict({ pending_confirmation }).text).toContain('One check found “Available”.');
  });
});

describe('the timeline on a name’s page', () => {
  const stage = (id: string, day: string | null) => ({
    ...{ id, label: id, when: day, from: null },
    at: day === null ? null : new Date(`${day}T00:00:00Z`),
  });
  const stages = [stage('registered', '2022-11-22'), stage('redemption', null), stage('expiring', '2026-10-23')];

  it('shows the known dates to scale from the first to the last, and marks the present', () => {
    const line = toLifeLine(stages, new Date('2026-11-23T00:00:00Z'), NOW);
    expect(line?.segments.map(({ id }) => id)).toEqual(['registered', 'expiring']);
    expect(line?.segments[0]).toMatchObject({ from: 0 });
    expect(line?.segments[0]?.to).toBeCloseTo(0.979, 2);
    expect(line?.segments[1]).toMatchObject({ to: 1 });
    expect(line?.now).toBeCloseTo(1, 2);
    expect(line?.years.map(({ year }) => year)).toEqual([2023, 2024, 2025, 2026]);
    expect(line?.text).toBe('registered: 2022-11-22; expiring: 2026-10-23');
  });

  it('ends today if all known dates have passed, and labels at most eight years', () => {
    const line = toLifeLine([stage('registered', '1985-03-15')], null, NOW);
    expect([line?.now, line?.segments[0]?.to]).toEqual([1, 1]);
    expect(line?.years.length).toBeLessThanOrEqual(8);
  });

  it('is not drawn if no date is known', () => {
    expect(toLifeLine([stage('registered', null)], null, NOW)).toBeNull();
  });
});

describe('the history on a name’s page', () => {
  const deliveries = [
    { id: 'd2', event_id: 'e1', created_at: '2026-11-03T00:00:00Z' },
    { id: 'd1', event_id: 'e1', created_at: '2026-11-03T00:00:00Z' },
  ];
  const changes = [{ kind: 'ds', confirmed_at: '2026-11-04T00:00:00Z' }];
  const intervals = [
    { phase: 'expiring', first_seen_at: '2026-11-02T00:00:00Z' },
    { phase: 'registered', first_seen_at: '2026-11-01T00:00:00Z' },
  ];

  it('lists all items newest first, with one item for all notifications of the same event', () => {
    const story = toStory({ intervals, changes, deliveries } as unknown as Parameters<typeof toStory>[0]);
    expect(story.map(({ kind }) => kind)).toEqual(['record', 'told', 'status', 'status']);
    expect(story[1]).toMatchObject({ deliveries: [{ id: 'd2' }, { id: 'd1' }] });
    expect(story.slice(2)).toMatchObject([{ before: 'registered' }, { before: null }]);
  });

  it('is read page by page until enough items are loaded or no page is left', async () => {
    const asked: number[] = [];
    const read = (total: number) => (page: number, perPage: number) => {
      asked.push(page);
      const count = Math.max(0, Math.min(perPage, total - (page - 1) * perPage));
      return Promise.resolve({ data: Array.from({ length: count }, (_, n) => n), meta: { total } });
    };
    expect(await readNewest(250, read(1_000))).toMatchObject({ total: 1_000, rows: { length: 300 } });
    expect(await readNewest(250, read(120))).toMatchObject({ rows: { length: 120 } });
    expect(await readNewest(20, read(0))).toEqual({ rows: [], total: 0 });
    expect(asked).toEqual([1, 2, 3, 1, 2, 1]);
  });
});
