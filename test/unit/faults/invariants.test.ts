import { describe, expect, it } from '@jest/globals';
import type { FinalState } from '../../faults/results/final-state.js';
import { INVARIANTS } from '../../faults/invariants/all.js';
import { findEventsAfterRemoval } from '../../faults/invariants/silent-after-removal.js';
import { createGoodRun } from './final-state-builder.js';

/** The invariants that a run violates. */
const broken = (evidence: FinalState) =>
  INVARIANTS.filter(({ check: judge }) => judge(evidence).violations.length > 0).map(({ name }) => name);

/** The good run with a change to the first item of one list. */
function with_<List extends 'events' | 'entries' | 'deliveries' | 'attempts' | 'arrivals' | 'checks' | 'lateness'>(
  list: List,
  change: Partial<FinalState[List][number]>,
): FinalState {
  const run = createGoodRun();
  return { ...run, [list]: run[list].map((one, i) => (i === 0 ? { ...one, ...change } : one)) };
}
const without = (list: 'events' | 'deliveries' | 'attempts' | 'arrivals' | 'history' | 'keys'): FinalState => {
  const run = createGoodRun();
  return { ...run, [list]: run[list].slice(1) };
};
const twice = (list: 'events' | 'deliveries' | 'arrivals' | 'keys'): FinalState => {
  const run = createGoodRun();
  return { ...run, [list]: [run[list][0], ...run[list]] };
};
const [first] = createGoodRun().events;
if (!first) throw new Error('the good run has no event');
const withData = (data: Partial<typeof first.data>) => with_('events', { data: { ...first.data, ...data } });
const seconds = (from: string, many: number) => Date.parse(from) + many * 1_000;
const NOON = '2026-11-21T12:00:00Z';

describe('the invariants', () => {
  it('hold for a good run', () => {
    expect(broken(createGoodRun())).toEqual([]);
  });

  it.each([
    ['a change without an event', without('events'), 'I1'],
    ['a change published twice', twice('events'), 'I1'],
    ['a gap in the numbers', withData({ change_seq: 2 }), 'I1'],
    ['a change with the wrong move', withData({ move: 'restored' }), 'I1'],
    ['a status that was never true', withData({ status: 'available' }), 'I2'],
    ['a status long before it was true', withData({ observed_at: '2026-11-21T12:00:05Z' }), 'I2'],
    ['an entry that shows an unpublished status', with_('entries', { status: 'registered' }), 'I2'],
    ['a history with a gap', { ...createGoodRun(), history: [] }, 'I2'],
    ['a check with an answer of no registry', with_('checks', { status: 'available' }), 'I2'],
    ['an event without a delivery to a channel', without('deliveries'), 'I3'],
    ['two deliveries of one event', twice('deliveries'), 'I3'],
    ['a delivery that never ends', with_('deliveries', { state: 'pending' }), 'I4'],
    ['a delivery without an attempt', without('attempts'), 'I4'],
    ['a delivery marked delivered and never accepted', without('arrivals'), 'I4'],
    ['an attempt that never ends', with_('attempts', { outcome: null }), 'I4'],
    ['unfinished work', { ...createGoodRun(), unfinished: ['worker-1 is not running'] }, 'I4'],
    ['a bad signature', with_('arrivals', { isGenuine: false }), 'I5'],
    ['an attempt that arrives twice', twice('arrivals'), 'I5'],
    ['a check that is too late', with_('lateness', { seconds: 40 }), 'I6'],
    ['an added key that is gone', without('keys'), 'I7'],
    ['a key that a retry duplicated', twice('keys'), 'I7'],
    ['a name with a schedule and no entry', { ...createGoodRun(), inconsistentNames: ['half.alpha'] }, 'I7'],
    ['a 500 answer', { ...createGoodRun(), unexpectedResponses: ['500 to GET /'] }, 'I7'],
    ['an event accepted twice without a loss', twice('arrivals'), 'I8'],
    ['a lost attempt without an incident', with_('attempts', { outcome: 'lost' }), 'I8'],
  ])('report %s', (_what, evidence, name) => {
    expect(broken(evidence)).toContain(name);
  });

  it('report a change of a record that is lost, invented, too early, not listed, or of another registration', () => {
    const run = createGoodRun();
    const change = run.events.find(({ type }) => type === 'watchlist.record_changed');
    const lapsed = run.recordHistories.get('lapsed.alpha') ?? [];
    const [held] = lapsed;
    if (!change || !held) throw new Error('the good run has no record');
    const { data } = change;
    const statuses = run.events.filter((event) => event !== change);
    const violations = (evidence: Partial<FinalState>) =>
      INVARIANTS.flatMap(({ name, check }) => (name === 'I9' ? check({ ...run, ...evidence }).violations : []));
    const published = (...data: Partial<typeof change.data>[]) => ({
      events: [...statuses, ...data.map((one) => ({ ...change, data: { ...change.data, ...one } }))],
    });
    expect(violations({})).toEqual([]);
    expect(violations({ events: statuses })).toEqual([
      expect.stringContaining('nameservers: expected ['),
      expect.stringContaining('published [], listed ['),
    ]);
    expect(violations({ listedChanges: new Map() })).toEqual([expect.stringContaining('listed []')]);
    expect(violations(published({}, {}))).toContainEqual(expect.stringContaining('no registry changed'));
    expect(violations(published({ before: [] }))).toContainEqual(expect.stringContaining('no registry changed'));
    expect(violations(published({ kind: 'ds' }))).toContainEqual(expect.stringContaining('no registry changed'));
    expect(violations(published({ confirmed_at: data.observed_at }))).toEqual([expect.stringContaining('listed [')]);
    const [, since] = run.recordHistories.get('moved.alpha') ?? [];
    if (!since?.values) throw new Error('the good run has no change of a record');
    const unpublished = [
      { ...held, until: since.from },
      { ...since, publishedAt: null },
    ];
    expect(violations({ recordHistories: new Map([...run.recordHistories, ['moved.alpha', unpublished]]) })).toEqual([
      expect.stringContaining('at a time when that was not so'),
    ]);
    const registeredAgain = [...lapsed, { ...since, from: (lapsed.at(-1)?.from ?? 0) + 1 }];
    expect(
      violations({
        recordHistories: new Map([...run.recordHistories, ['lapsed.alpha', registeredAgain]]),
        events: [...run.events, { ...change, id: 'evt_4', entryId: 'wl_1' }],
      }),
    ).toContainEqual(expect.stringContaining('no registry changed'));
  });

  it('report a mail that is missing, duplicated or excluded by a filter', () => {
    const { channels, channelLabels: standing, deliveries, attempts, arrivals, ...run } = createGoodRun();
    const [listening] = channels;
    if (!listening) throw new Error('the good run has no channel');
    const to = (id: string, tags: string[]) => ({ ...listening, id, tags });
    const mailing = (tags: string[], times: number): FinalState => ({
      ...{ ...run, attempts, arrivals, channels: [...channels, to('nc_2', tags)] },
      channelLabels: new Map([...standing, ['nc_2', 'mail']]),
      deliveries: [...deliveries, { id: 'dl_3', eventId: 'evt_1', channelId: 'nc_2', state: 'delivered' }],
      attempts: [...attempts, { deliveryId: 'dl_3', number: 1, startedAt: new Date(), outcome: 'ok' }],
      events: run.events.map((event, i) => ({ ...event, data: { ...event.data, tags: i === 0 ? ['mailed'] : [] } })),
      mailed: Array.from({ length: times }, () => ({ channel: 'mail', event: 'evt_1' })),
    });
    expect(broken(mailing(['mailed'], 1))).toEqual([]);
    expect(broken(mailing(['mailed'], 0))).toEqual(['I4']);
    expect(broken(mailing(['mailed'], 2))).toEqual(['I8']);
    expect(broken(mailing(['other'], 1))).toEqual(['I3']);
  });

  it('report events and attempts after the removal of their entry, not before', () => {
    const of = (removedAt: number) => {
      const run = createGoodRun();
      const [key] = run.actions;
      if (!key) throw new Error('the good run has no action');
      const deed = { ...key, kind: 'entry', id: 'wl_1', removed: 'asked', removedAt } as const;
      return { ...run, actions: [...run.actions, deed] };
    };
    const violations = (removedAt: number) => findEventsAfterRemoval(of(removedAt)).length;
    expect(broken(of(seconds(NOON, 5)))).toEqual(['I7']);
    expect([11, 12, 21, 22, 24].map((second) => violations(seconds(NOON, second)))).toEqual([3, 2, 1, 0, 0]);
  });

  it('report different bytes of one event and concurrent attempts', () => {
    const run = createGoodRun();
    const [arrival] = run.arrivals;
    if (!arrival) throw new Error('the good run has no arrival');
    const again = { ...arrival, attempt: 2, digest: 'other' };
    expect(broken({ ...run, arrivals: [...run.arrivals, again] })).toContain('I5');
    const meanwhile = { ...arrival, attempt: 2, arrivedAt: arrival.arrivedAt + 1 };
    expect(broken({ ...run, arrivals: [...run.arrivals, meanwhile] })).toContain('I5');
  });

  it('accept losses and late checks during incidents', () => {
    const incidents = [{ from: seconds(NOON, 12), to: seconds(NOON, 40), what: 'kill worker-1', isMissed: false }];
    const lost = with_('attempts', { outcome: 'lost' });
    expect(broken({ ...lost, incidents })).toEqual([]);
    const [attempt] = lost.attempts;
    const attempts = attempt ? Array.from({ length: 6 }, (_, i) => ({ ...attempt, number: i + 1 })) : [];
    expect(broken({ ...lost, incidents, attempts: [...attempts, ...lost.attempts.slice(1)] })).toEqual(['I8']);
    const late = with_('lateness', { at: seconds(NOON, 40), seconds: 40 });
    expect(broken({ ...late, incidents })).toEqual([]);
  });

  it('excuse a late check by incidents while it waited only, and overlapping ones once', () => {
    const late = with_('lateness', { at: seconds(NOON, 100), seconds: 40 });
    const incident = (from: number, to: number) => {
      return { from: seconds(NOON, from), to: seconds(NOON, to), what: 'kill worker-1', isMissed: false };
    };
    const before = [incident(0, 50), incident(12, 58)];
    expect(broken({ ...late, incidents: before })).toEqual(['I6']);
    const sameSeconds = [incident(70, 80), incident(71, 80), incident(72, 80)];
    expect(broken({ ...late, incidents: sameSeconds })).toEqual(['I6']);
    expect(broken({ ...late, incidents: [...sameSeconds, incident(85, 95)] })).toEqual([]);
  });
});
