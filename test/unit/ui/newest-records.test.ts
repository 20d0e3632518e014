import { describe, expect, it } from '@jest/globals';
import type { AuditRecord } from '../../../clients/typescript/src/index.js';
import {
  actionText,
  addingImport,
  attributeLines,
  joinRuns,
  nameLink,
} from '../../../ui/src/screens/audit/audit-words.js';
import { type ReadSpan, readNewest } from '../../../ui/src/screens/audit/newest-records.js';

const NOW = Date.parse('2026-11-22T20:00:00Z');
const OLDEST = '2025-11-01T00:00:00.000Z';
const AT_MOST = 100;

/** A trail with a record at each of these times, in milliseconds before now. */
function trailOf(ages: readonly number[]): { read: ReadSpan; requests: () => number } {
  const times = ages.map((age) => new Date(NOW - age).toISOString()).sort();
  let requests = 0;
  const read: ReadSpan = ({ since, until }) => {
    requests += 1;
    const found = times.filter((at) => at >= since && at < until);
    const data = found.slice(0, AT_MOST).map((at) => ({ id: at, occurred_at: at }) as AuditRecord);
    return Promise.resolve({ data, meta: { next: '', has_more: found.length > AT_MOST } });
  };
  return { read, requests: () => requests };
}

async function readAll(read: ReadSpan): Promise<string[]> {
  const found: string[] = [];
  let before: string | null = new Date(NOW + 1).toISOString();
  while (before !== null) {
    const part = await readNewest(read, before, OLDEST);
    found.push(...part.records.map(({ occurred_at: at }) => at));
    before = part.olderBefore;
  }
  return found;
}

const HOUR = 3_600_000;

describe('the newest records of the audit trail', () => {
  it.each([
    ['none', []],
    ['few, long ago', [200 * 24 * HOUR, 300 * 24 * HOUR]],
    ['a burst of this hour', Array.from({ length: 950 }, (_, n) => n * 3_000)],
    ['some every day', Array.from({ length: 300 }, (_, n) => n * 24 * HOUR)],
  ])('are all read, each once, newest first: %s', async (_, ages) => {
    const expected = ages.map((age) => new Date(NOW - age).toISOString()).sort((a, b) => (a < b ? 1 : -1));
    expect(await readAll(trailOf(ages).read)).toEqual(expected);
  });

  it('need few requests, however quiet the year was', async () => {
    const { read, requests } = trailOf([]);
    await readNewest(read, new Date(NOW).toISOString(), OLDEST);
    expect(requests()).toBeLessThan(6);
  });
});

describe('the lines of a change', () => {
  it('have the old and the new values, without empty ones', () => {
    const change = { before: { name: 'a', tags: ['x'] }, after: { name: 'b', headers: [], active: true } };
    expect(attributeLines(change)).toEqual(['name: a → b', 'tags was: x', 'active: yes']);
  });
});

describe('the page of the name that a record is about', () => {
  const linkOf = (record: object) =>
    nameLink({ target_id: 'wl_1', before: null, after: null, ...record } as AuditRecord);

  it('shows the history of a removed entry only if the name has no current entry', () => {
    expect(linkOf({ action: 'watchlist.removed', before: { domain: 'a.test' } })).toMatch(
      /\/names\/a\.test\?removed=wl_1$/,
    );
    expect(linkOf({ action: 'watchlist.changed', after: { domain: 'a.test' } })).toMatch(/\/names\/a\.test$/);
  });

  it('is never linked from an address that an extension or a file supplied', () => {
    expect(linkOf({ action: 'ledger.closed', after: { domain: 'a.test' } })).toBeNull();
    expect(linkOf({ action: 'watchlist.imported', after: { created: 3 } })).toBeNull();
  });

  it('is one page for all parts of an import, with sums and what can be taken back', () => {
    const part = (run: string, after: object) =>
      ({ id: `aud_${JSON.stringify(after)}`, action: 'watchlist.imported', run_id: run, after }) as AuditRecord;
    const shown = joinRuns([
      part('run_2', { removed: 1 }),
      part('run_1', { created: 20 }),
      part('run_1', { created: 200 }),
    ]);
    expect(shown).toMatchObject([{ run_id: 'run_2' }, { run_id: 'run_1', after: { created: 220 } }]);
    expect(shown.map(addingImport)).toEqual([null, 'run_1']);
    expect(shown.map(actionText)).toEqual(['Imported names', 'Imported names']);
  });
});
