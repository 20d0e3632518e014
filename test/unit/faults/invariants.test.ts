import { describe, expect, it } from '@jest/globals';
import type { Evidence } from '../../../faults/evidence.js';
import { INVARIANTS } from '../../../faults/invariants/all.js';
import { toldAfterRemoval } from '../../../faults/invariants/removed-is-silent.js';
import { aGoodRun } from './evidence.js';

/** Which invariants a run breaks. */
const broken = (evidence: Evidence) =>
  INVARIANTS.filter(({ judge }) => judge(evidence).violations.length > 0).map(({ name }) => name);

/** The good run, after somebody meddled with the first of a list. */
function with_<List extends 'events' | 'entries' | 'deliveries' | 'attempts' | 'arrivals' | 'checked' | 'lateness'>(
  list: List,
  change: Partial<Evidence[List][number]>,
): Evidence {
  const run = aGoodRun();
  return { ...run, [list]: run[list].map((one, i) => (i === 0 ? { ...one, ...change } : one)) };
}
const without = (list: 'events' | 'deliveries' | 'attempts' | 'arrivals' | 'history' | 'keys'): Evidence => {
  const run = aGoodRun();
  return { ...run, [list]: run[list].slice(1) };
};
const twice = (list: 'events' | 'deliveries' | 'arrivals' | 'keys'): Evidence => {
  const run = aGoodRun();
  return { ...run, [list]: [run[list][0], ...run[list]] };
};
const [first] = aGoodRun().events;
if (!first) throw new Error('the good run has no event');
const told = (data: Partial<typeof first.data>) => with_('events', { data: { ...first.data, ...data } });
const seconds = (from: string, many: number) => Date.parse(from) + many * 1_000;
const NOON = '2026-11-21T12:00:00Z';

describe('the invariants', () => {
  it('hold for a good run', () => {
    expect(broken(aGoodRun())).toEqual([]);
  });

  it.each([
    ['a change that nobody was told of', without('events'), 'I1'],
    ['a change told twice', twice('events'), 'I1'],
    ['a gap in the numbers', told({ change_seq: 2 }), 'I1'],
    ['a change by the wrong word', told({ move: 'restored' }), 'I1'],
    ['a status that was never so', told({ status: 'available' }), 'I2'],
    ['a status long before it was so', told({ observed_at: '2026-11-21T12:00:05Z' }), 'I2'],
    ['an entry that shows what nobody was told', with_('entries', { status: 'registered' }), 'I2'],
    ['a history with a hole', { ...aGoodRun(), history: [] }, 'I2'],
    ['a check that answered what nobody said', with_('checked', { status: 'available' }), 'I2'],
    ['an event that a channel does not hear of', without('deliveries'), 'I3'],
    ['two deliveries of one event', twice('deliveries'), 'I3'],
    ['a delivery that never ends', with_('deliveries', { state: 'pending' }), 'I4'],
    ['a delivery without an attempt', without('attempts'), 'I4'],
    ['a delivery marked and never taken', without('arrivals'), 'I4'],
    ['an attempt that never ends', with_('attempts', { outcome: null }), 'I4'],
    ['unrest', { ...aGoodRun(), unrest: ['worker-1 is not up'] }, 'I4'],
    ['a bad signature', with_('arrivals', { isGenuine: false }), 'I5'],
    ['an attempt that comes twice', twice('arrivals'), 'I5'],
    ['a look that is too late', with_('lateness', { seconds: 40 }), 'I6'],
    ['something that was added and is gone', without('keys'), 'I7'],
    ['something that a repeat made twice', twice('keys'), 'I7'],
    ['half of something', { ...aGoodRun(), halves: ['half.alpha'] }, 'I7'],
    ['an answer that no outage excuses', { ...aGoodRun(), wrongAnswers: ['500 to GET /'] }, 'I7'],
    ['something taken twice without a loss', twice('arrivals'), 'I8'],
    ['a loss for no reason', with_('attempts', { outcome: 'lost' }), 'I8'],
  ])('tell of %s', (_what, evidence, name) => {
    expect(broken(evidence)).toContain(name);
  });

  it('tell of a mail that nobody got, of one that came twice, and of one that nobody wanted', () => {
    const { channels, standing, deliveries, attempts, arrivals, ...run } = aGoodRun();
    const [listening] = channels;
    if (!listening) throw new Error('the good run has no channel');
    const to = (id: string, tags: string[]) => ({ ...listening, id, tags });
    const mailing = (tags: string[], times: number): Evidence => ({
      ...{ ...run, attempts, arrivals, channels: [...channels, to('nc_2', tags)] },
      standing: new Map([...standing, ['nc_2', 'mail']]),
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

  it('tell of an event, and of an attempt at one, after its entry was removed, but not before', () => {
    const of = (removedAt: number) => {
      const run = aGoodRun();
      const [key] = run.deeds;
      if (!key) throw new Error('nothing was done in the good run');
      const deed = { ...key, kind: 'entry', id: 'wl_1', removed: 'asked', removedAt } as const;
      return { ...run, deeds: [...run.deeds, deed] };
    };
    const told = (removedAt: number) => toldAfterRemoval(of(removedAt)).length;
    expect(broken(of(seconds(NOON, 5)))).toEqual(['I7']);
    expect([11, 12, 21, 22, 24].map((second) => told(seconds(NOON, second)))).toEqual([3, 2, 1, 0, 0]);
  });

  it('tell of other bytes for the same event, and of two attempts at a time', () => {
    const run = aGoodRun();
    const [arrival] = run.arrivals;
    if (!arrival) throw new Error('the good run has no arrival');
    const again = { ...arrival, attempt: 2, digest: 'other' };
    expect(broken({ ...run, arrivals: [...run.arrivals, again] })).toContain('I5');
    const meanwhile = { ...arrival, attempt: 2, arrivedAt: arrival.arrivedAt + 1 };
    expect(broken({ ...run, arrivals: [...run.arrivals, meanwhile] })).toContain('I5');
  });

  it('forgive what was lost while something was being done, and what came late for it', () => {
    const happened = [{ from: seconds(NOON, 12), to: seconds(NOON, 40), what: 'kill worker-1', isMissed: false }];
    const lost = with_('attempts', { outcome: 'lost' });
    expect(broken({ ...lost, happened })).toEqual([]);
    const [attempt] = lost.attempts;
    const attempts = attempt ? Array.from({ length: 6 }, (_, i) => ({ ...attempt, number: i + 1 })) : [];
    expect(broken({ ...lost, happened, attempts: [...attempts, ...lost.attempts.slice(1)] })).toEqual(['I8']);
    const late = with_('lateness', { at: seconds(NOON, 40), seconds: 40 });
    expect(broken({ ...late, happened })).toEqual([]);
  });
});
