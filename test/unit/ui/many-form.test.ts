import { describe, expect, it } from '@jest/globals';
import { NOTHING_CHOSEN, toManyChange } from '../../../ui/src/screens/watchlist/many-form.js';

const change = (chosen: Partial<typeof NOTHING_CHOSEN>) => toManyChange({ ...NOTHING_CHOSEN, ...chosen });

describe('the form that changes many names', () => {
  it('sends no setting that was not chosen, even if its value was typed', () => {
    expect(change({})).toEqual({});
    expect(change({ note: 'typed', remindDays: '1', renewalOn: '2027-01-01', nameservers: 'ns1.hoster.test' })).toEqual(
      {},
    );
  });

  it('sends the value of each setting that was chosen', () => {
    expect(change({ interval: 60, purpose: 'own', checks: 'paused', expiringDays: '45' })).toEqual({
      ...{ interval_minutes: 60, purpose: 'own', paused: true, expiring_window_days: 45 },
    });
    expect(change({ checks: 'resumed', addTags: ' a, b,', removeTags: 'c' })).toEqual({
      ...{ paused: false, add_tags: ['a', 'b'], remove_tags: ['c'] },
    });
    expect(change({ noteChoice: 'set', note: 'n', remind: 'set', remindDays: '90; 7' })).toEqual({
      ...{ note: 'n', remind_days: [90, 7] },
    });
    expect(change({ renewal: 'set', renewalOn: '2027-01-01', record: 'set', transfers: 'locked' })).toEqual({
      ...{ renewal: { on: '2027-01-01', note: null }, expected: { locked: true } },
    });
  });

  it('can make each name’s current record its expected one, and then ignores typed values', () => {
    expect(change({ record: 'current', transfers: 'locked' })).toEqual({ expect_current: true });
  });

  it('can clear the note, the reminders, the renewal date and the expected record', () => {
    expect(change({ noteChoice: 'none', note: 'n', remind: 'none', renewal: 'none', record: 'none' })).toEqual({
      ...{ note: null, remind_days: [], renewal: null, expected: null },
    });
    expect(change({ remind: 'usual' })).toEqual({ remind_days: null });
  });
});
