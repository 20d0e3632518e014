import { describe, expect, it } from '@jest/globals';
import { Plan } from '../../../src/auth/domain/plan.js';
import type { RegistrationRecord } from '../../../src/domains/language.js';
import { BUILT_IN_PLANS } from '../../../src/config/plans.js';
import type { PlanLimits } from '../../../src/kernel/plan-limits.js';
import { type EntrySettings, INITIAL_SETTINGS } from '../../../src/watchlist/domain/entry-settings.js';
import { type ManyChange, settingsToChange } from '../../../src/watchlist/domain/many-change.js';

const plan = new Plan('pro', BUILT_IN_PLANS['pro'] as PlanLimits);
const entry: EntrySettings = {
  ...INITIAL_SETTINGS,
  intervalMinutes: 5,
  expiringWindowDays: 30,
  tags: ['b', 'a'],
  note: 'mine',
};
const change = (wanted: Partial<ManyChange>) =>
  settingsToChange(entry, { settings: {}, addTags: [], removeTags: [], ...wanted }, plan);

describe('a change of many entries', () => {
  it('changes in each entry only the settings that have another value', () => {
    expect(change({ settings: { note: 'mine', purpose: 'own' } })).toEqual({ purpose: 'own' });
    expect(change({ settings: { note: null } })).toEqual({ note: null });
    expect(change({ settings: { tags: ['a', 'b'], note: 'mine' } })).toBeNull();
  });

  it('adds and removes tags, keeps an entry’s other tags, and refuses more than 20 tags', () => {
    expect(change({ addTags: ['c', 'a'] })).toEqual({ tags: ['b', 'a', 'c'] });
    expect(change({ addTags: ['c'], removeTags: ['b', 'x'] })).toEqual({ tags: ['a', 'c'] });
    expect(change({ addTags: ['a'], removeTags: ['x'] })).toBeNull();
    const many = Array.from({ length: 19 }, (_, n) => `t${n}`);
    expect(() => change({ addTags: many })).toThrow('A name may have 20 tags.');
    expect(change({ addTags: many, removeTags: ['a'] })?.tags).toHaveLength(20);
  });

  it('can make an entry’s current record its expected one, and fails without a record', () => {
    const record: RegistrationRecord = {
      ...{ nameservers: ['ns1.hoster.test'], registrar: { name: 'Hoster', ianaId: '292' } },
      ...{ statuses: ['client transfer prohibited'], ds: null, lastTransferAt: null },
    };
    const wanted = { settings: {}, addTags: [], removeTags: [], expectCurrent: true };
    const expected = { nameservers: ['ns1.hoster.test'], registrar_id: '292', locked: true };
    expect(settingsToChange(entry, wanted, plan, record)).toEqual({ expected });
    expect(settingsToChange({ ...entry, expected }, wanted, plan, record)).toBeNull();
    const silent = { ...record, nameservers: null, registrar: null, statuses: null };
    for (const shown of [null, silent])
      expect(() => settingsToChange(entry, wanted, plan, shown)).toThrow('shows no name servers, registrar or lock');
  });

  it('refuses an interval that the plan does not allow unless the entry already has it', () => {
    expect(() => change({ settings: { intervalMinutes: 30 } })).toThrow('does not allow an interval of 30 minutes');
    expect(change({ settings: { intervalMinutes: 5, purpose: 'own' } })).toEqual({ purpose: 'own' });
    expect(change({ settings: { intervalMinutes: 60 } })).toEqual({ intervalMinutes: 60 });
  });
});
