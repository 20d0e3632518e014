import { describe, expect, it } from '@jest/globals';
import { describeChange } from '../../../ui/src/screens/watchlist/many-words.js';

describe('the text about a change of many names', () => {
  it.each([
    [{ interval_minutes: 60, add_tags: ['vip'] }, 'check every hour, + vip'],
    [{ interval_minutes: 2_880, remove_tags: ['old', 'shop'] }, 'check every 2 days, − old, shop'],
    [{ purpose: 'acquire', paused: true }, 'purpose “Want to buy”, pause checks'],
    [
      { note: null, renewal: null, remind_days: null, expected: null },
      'no note, no renewal date, the usual reminders, no expected values',
    ],
    [{ remind_days: [], renewal: { on: '2027-03-01', note: null } }, 'no reminders, renewal on 2027-03-01'],
    [{ expect_current: true }, 'expected values as the registry says now'],
    [{ note: '<b>x</b>' }, 'note “<b>x</b>”'],
    [{}, ''],
  ] as const)('describes the change %j as %j', (change, text) => {
    expect(describeChange(change as unknown as Parameters<typeof describeChange>[0])).toBe(text);
  });
});
