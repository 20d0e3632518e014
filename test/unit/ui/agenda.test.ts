import { describe, expect, it } from '@jest/globals';
import type { ExpandedEntry, Lifecycle } from '../../../clients/typescript/src/index.js';
import {
  agendaSpan,
  countsByDay,
  itemsByFirstDay,
  monthsOf,
  toAgendaItem,
} from '../../../ui/src/screens/agenda/agenda.js';
import { readEntries } from '../../../ui/src/screens/agenda/read-agenda.js';

const NOW = new Date('2026-11-22T20:00:00Z');
const SPAN = agendaSpan(NOW);

const entry = (domain: string, lifecycle: Partial<Lifecycle>, status: ExpandedEntry['status'] = 'registered') =>
  ({ id: `wl_${domain}`, domain, status, lifecycle: { drop_window: null, ...lifecycle } }) as ExpandedEntry;
const expiring = (domain: string, day: string) => entry(domain, { expires_at: `${day}T10:00:00.000Z` });
const dropping = (domain: string, earliest: string, latest: string | null) => {
  const drop_window = { earliest, likely: null, latest, basis: 'rule', confidence: 'high' } as const;
  return entry(domain, { drop_window, expires_at: '2026-10-01T00:00:00.000Z' }, 'pending_delete');
};

describe('the agenda in the dashboard', () => {
  it('covers ninety days, beginning with today', () => {
    expect(SPAN).toEqual({ from: '2026-11-22', before: '2027-02-20' });
  });

  it.each([
    ['yesterday', '2026-11-21', null],
    ['today', '2026-11-22', ['2026-11-22']],
    ['on the last day', '2027-02-19', ['2027-02-19']],
    ['after the last day', '2027-02-20', null],
  ])('shows a name only if it expires within these ninety days: %s', (_, day, days) => {
    expect(toAgendaItem(expiring('a.test', day), SPAN)?.days ?? null).toEqual(days);
  });

  it('shows an expected deletion on each possible day, from today on', () => {
    const item = toAgendaItem(dropping('a.test', '2026-11-20T00:00:00.000Z', '2026-11-24T12:00:00.000Z'), SPAN);
    expect(item).toMatchObject({ kind: 'drop', days: ['2026-11-22', '2026-11-23', '2026-11-24'] });
  });

  it('shows no expiry date of a name that is being deleted or is available', () => {
    const expires_at = '2026-12-01T00:00:00.000Z';
    expect(toAgendaItem(entry('a.test', { expires_at }, 'pending_delete'), SPAN)).toBeNull();
    expect(toAgendaItem(entry('a.test', { expires_at }, 'available'), SPAN)).toBeNull();
  });

  it('shows a manually set renewal day only if the registry publishes no expiry date', () => {
    const own = (expires_at: string | null) => ({
      ...entry('a.test', { expires_at }),
      details: { renewal: { on: '2026-12-24', note: 'Invoice' } } as ExpandedEntry['details'],
    });
    const shown = { kind: 'renewal', at: '2026-12-24', note: 'Invoice', days: ['2026-12-24'] };
    expect(toAgendaItem(own(null) as ExpandedEntry, SPAN)).toMatchObject(shown);
    expect(toAgendaItem(own('2027-11-01T00:00:00.000Z') as ExpandedEntry, SPAN)).toBeNull();
  });

  it('counts expiries and expected deletions of each day, and lists each name once', () => {
    const items = [
      expiring('b.test', '2026-11-23'),
      expiring('a.test', '2026-11-23'),
      dropping('c.test', '2026-11-22T00:00:00Z', '2026-11-23T00:00:00Z'),
    ].map((one) => toAgendaItem(one, SPAN));
    const known = items.filter((item) => item !== null);
    expect(countsByDay(known).get('2026-11-23')).toEqual({ expiry: 2, renewal: 0, drop: 1, guess: 0 });
    const listed = [...itemsByFirstDay(known)].map(([day, of]) => [day, of.map(({ domain }) => domain)]);
    expect(listed).toEqual([
      ['2026-11-22', ['c.test']],
      ['2026-11-23', ['a.test', 'b.test']],
    ]);
  });

  it('divides its months into weeks that begin on Monday', () => {
    const months = monthsOf(SPAN);
    expect(months.map(({ month }) => month)).toEqual(['2026-11', '2026-12', '2027-01', '2027-02']);
    expect(months[0]?.weeks[0]).toEqual([null, null, null, null, null, null, '2026-11-01']);
    expect(months[3]?.weeks).toHaveLength(4); // February 2027 begins on a Monday
  });
});

describe('reading the watchlist entries for the agenda', () => {
  /** A list of so many entries: the first tenth has no date, then one expires each hour. */
  const listOf = (total: number) => {
    const asked: number[] = [];
    const read = (page: number) => {
      asked.push(page);
      const numbers = Array.from({ length: 100 }, (_, index) => (page - 1) * 100 + index).filter((n) => n < total);
      const start = Date.parse('2026-11-22T00:00:00Z') - (total / 2) * 3_600_000;
      const expires = (n: number) => (n < total / 10 ? null : new Date(start + n * 3_600_000).toISOString());
      const data = numbers.map((n) => entry(`n${n}.test`, { expires_at: expires(n) }));
      return Promise.resolve({ data, meta: { page, per_page: 100, total } });
    };
    return { asked, read };
  };

  it('finds the first entry among 100,000 in few requests, and says if it stops after 500', async () => {
    const { asked, read } = listOf(100_000);
    const { entries, isCut } = await readEntries(read, SPAN);
    expect(entries[0]?.domain).toBe('n50000.test');
    expect({ count: entries.length, isCut }).toEqual({ count: 500, isCut: true });
    expect(asked.length).toBeLessThan(20);
  });

  it('reads a short list in one request', async () => {
    const { asked, read } = listOf(40);
    const { entries, isCut } = await readEntries(read, SPAN);
    expect(entries.map(({ domain }) => domain)).toEqual(Array.from({ length: 20 }, (_, n) => `n${n + 20}.test`));
    expect({ asked, isCut }).toEqual({ asked: [1], isCut: false });
  });

  it('returns nothing if all entries expire earlier, or if the list is empty', async () => {
    const past = { from: '2099-01-01', before: '2099-04-01' };
    expect(await readEntries(listOf(1_000).read, past)).toEqual({ entries: [], isCut: false });
    expect(await readEntries(listOf(0).read, SPAN)).toEqual({ entries: [], isCut: false });
  });

  it('returns all 24 entries that expire on the one requested day', async () => {
    const day = { from: '2026-11-22', before: '2026-11-23' };
    const { entries } = await readEntries(listOf(10_000).read, day);
    expect(entries.map((one) => toAgendaItem(one, day)).filter((item) => item !== null)).toHaveLength(24);
  });
});
