import { describe, expect, it } from '@jest/globals';
import { NEED_NAMES, needsOf, type NeedyEntry, toFilters } from '../../../src/watchlist/domain/needs.js';

const now = new Date('2026-11-28T00:00:00Z');
const quiet: NeedyEntry = {
  ...{ status: 'registered', phase: 'registered', purpose: 'own', expiresAt: null },
  ...{ paused: false, failing: false, answered: true, drift: false },
};
const needs = (entry: Partial<NeedyEntry>) => needsOf({ ...quiet, ...entry }, now);

describe('the names that need action', () => {
  it('begin with names that are lost, about to be deleted, or available and wanted', () => {
    expect(NEED_NAMES.slice(0, 3)).toEqual(['lost', 'about_to_be_deleted', 'available_and_wanted']);
    expect(needs({ status: 'available', phase: 'available' })).toEqual(['lost']);
    expect(needs({ status: 'pending_delete', phase: 'pending_delete', failing: true })).toEqual([
      'about_to_be_deleted',
      'failing',
    ]);
    expect(needs({ status: 'available', phase: 'available', purpose: 'acquire' })).toEqual(['available_and_wanted']);
    expect(needs({ status: 'available', phase: 'available', purpose: 'monitor' })).toEqual([]);
  });

  it('do not include paused names or names without any problem', () => {
    expect(needs({})).toEqual([]);
    expect(needs({ status: 'available', phase: 'available', paused: true })).toEqual([]);
  });

  it('include names that expire within thirty days', () => {
    const expiresAt = (days: number) => needs({ expiresAt: new Date(now.getTime() + days * 86_400_000) });
    expect([-0.1, 0, 30, 30.1].map((days) => expiresAt(days).length)).toEqual([0, 1, 1, 0]);
  });

  it('can be found by filters of the watchlist, such as status and purpose', () => {
    expect(toFilters('lost', now)).toEqual({ paused: false, status: 'available', purpose: 'own' });
  });
});
