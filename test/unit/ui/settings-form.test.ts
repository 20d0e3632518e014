import { describe, expect, it } from '@jest/globals';
import type { Entry } from '../../../clients/typescript/src/index.js';
import { type SettingsForm, toSettingsChange, toSettingsForm } from '../../../ui/src/screens/name/settings-form.js';

const ENTRY = {
  interval_minutes: 60,
  purpose: 'own',
  tags: ['brand'],
  note: null,
  expiring_window_days: 30,
  remind_days: [90, 7],
  renewal: { on: '2027-03-01', note: 'Invoice' },
} as Entry;
const changed = (part: Partial<SettingsForm>) => {
  const before = toSettingsForm(ENTRY);
  return toSettingsChange({ ...before, ...part }, before);
};

describe('the settings of a name', () => {
  it('send nothing that was not changed', () => {
    expect(changed({})).toEqual({});
  });

  it.each<[string, Partial<SettingsForm>, object]>([
    ['other days', { remindDays: '30,7 1' }, { remind_days: [30, 7, 1] }],
    ['no reminders', { remindDays: ' ' }, { remind_days: [] }],
    ['the usual days', { remindDays: null }, { remind_days: null }],
    ['another window', { expiringDays: '45' }, { expiring_window_days: 45 }],
    ['another day, with its note', { renewalOn: '2028-03-01' }, { renewal: { on: '2028-03-01', note: 'Invoice' } }],
    ['no day', { renewalOn: '' }, { renewal: null }],
    ['no tags', { tags: ' , ' }, { tags: null }],
  ])('send %s', (_, part, change) => {
    expect(changed(part)).toEqual(change);
  });
});
