import { expect, it } from '@jest/globals';
import { TimeUnits } from '../../../../src/kernel/time-units.js';
import { messageGaps } from '../../../../src/notifications/domain/message-timing.js';

it('people are left in peace for a minute before what is urgent, for five before the rest', () => {
  expect(messageGaps(TimeUnits.REAL)).toEqual({ urgent: 60, routine: 300 });
});

it('people are left in peace for less where time is shortened', () => {
  expect(messageGaps(TimeUnits.fromScale(60))).toEqual({ urgent: 1, routine: 5 });
});
