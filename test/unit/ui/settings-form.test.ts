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

describe('the settings form of a watched name', () => {
  it('sends nothing if nothing was changed', () => {
    expect(changed({})).toEqual({});
  });

  it.each<[string, Partial<SettingsForm>, object]>([
    ['other reminder days', { remindDays: '30,7 1' }, { remind_days: [30, 7, 1] }],
    ['no reminders', { remindDays: ' ' }, { remind_days: [] }],
    ['the default reminder days', { remindDays: null }, { remind_days: null }],
    ['another expiring window', { expiringDays: '45' }, { expiring_window_days: 45 }],
    [
      'another renewal day, with the old note',
      { renewalOn: '2028-03-01' },
      { renewal: { on: '2028-03-01', note: 'Invoice' } },
    ],
    ['no renewal day', { renewalOn: '' }, { renewal: null }],
    ['no tags', { tags: ' , ' }, { tags: null }],
  ])('sends only the changed setting: %s', (_, part, change) => {
    expect(changed(part)).toEqual(change);
  });
});
