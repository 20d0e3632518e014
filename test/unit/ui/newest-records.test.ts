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
    ['two, more than half a year old', [200 * 24 * HOUR, 300 * 24 * HOUR]],
    ['950 within the last hour', Array.from({ length: 950 }, (_, n) => n * 3_000)],
    ['one a day for 300 days', Array.from({ length: 300 }, (_, n) => n * 24 * HOUR)],
  ])('are all read, each once, newest first, if their number and age is: %s', async (_, ages) => {
    const expected = ages.map((age) => new Date(NOW - age).toISOString()).sort((a, b) => (a < b ? 1 : -1));
    expect(await readAll(trailOf(ages).read)).toEqual(expected);
  });

  it('are read with fewer than six requests, even if a year has no records', async () => {
    const { read, requests } = trailOf([]);
    await readNewest(read, new Date(NOW).toISOString(), OLDEST);
    expect(requests()).toBeLessThan(6);
  });
});

describe('the lines that describe an audited change', () => {
  it('show the old and new values, and leave out empty values', () => {
    const change = { before: { name: 'a', tags: ['x'] }, after: { name: 'b', headers: [], active: true } };
    expect(attributeLines(change)).toEqual(['name: a → b', 'tags was: x', 'active: yes']);
  });
});

describe('an audit record in the dashboard', () => {
  const linkOf = (record: object) =>
    nameLink({ target_id: 'wl_1', before: null, after: null, ...record } as AuditRecord);

  it('links to the removed entry if it is about a removal, and otherwise to the name', () => {
    expect(linkOf({ action: 'watchlist.removed', before: { domain: 'a.test' } })).toMatch(
      /\/names\/a\.test\?removed=wl_1$/,
    );
    expect(linkOf({ action: 'watchlist.changed', after: { domain: 'a.test' } })).toMatch(/\/names\/a\.test$/);
  });

  it('has no link to a name if it is about an extension’s action or an import', () => {
    expect(linkOf({ action: 'ledger.closed', after: { domain: 'a.test' } })).toBeNull();
    expect(linkOf({ action: 'watchlist.imported', after: { created: 3 } })).toBeNull();
  });

  it('stands for all parts of one import, with the total of the added names', () => {
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
