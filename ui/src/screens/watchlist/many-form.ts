import type { ChangeManyBody } from '../../../../clients/typescript/src/index.js';
import { type ExpectedForm, toExpectedChange } from '../name/expected-form.js';

/** Keeps the field, empties it, or sets the typed value. */
type Choice = 'keep' | 'none' | 'set';

/** The form as chosen and typed. Empty texts, null and `keep` change nothing. */
export interface ManyForm extends ExpectedForm {
  readonly interval: number | null;
  readonly purpose: ChangeManyBody['purpose'] | null;
  readonly checks: 'keep' | 'paused' | 'resumed';
  readonly addTags: string;
  readonly removeTags: string;
  readonly noteChoice: Choice;
  readonly note: string;
  readonly expiringDays: string;
  readonly remind: Choice | 'usual';
  readonly remindDays: string;
  readonly renewal: Choice;
  readonly renewalOn: string;
  readonly renewalNote: string;
  readonly record: Choice | 'current';
}

export const NOTHING_CHOSEN: ManyForm = {
  ...{ interval: null, purpose: null, checks: 'keep', addTags: '', removeTags: '' },
  ...{ noteChoice: 'keep', note: '', expiringDays: '', remind: 'keep', remindDays: '' },
  ...{ renewal: 'keep', renewalOn: '', renewalNote: '', record: 'keep' },
  ...{ nameservers: '', registrarId: '', transfers: '' },
};

/** Returns only the chosen changes. */
export function toManyChange(form: ManyForm): ChangeManyBody {
  const { interval, purpose, checks, noteChoice, expiringDays, remind, renewal, renewalOn: on, record } = form;
  const [addTags, removeTags] = [splitTags(form.addTags), splitTags(form.removeTags)];
  const note = noteChoice === 'set' && form.note !== '' ? form.note : null;
  const days =
    remind === 'usual'
      ? null
      : remind === 'none'
        ? []
        : form.remindDays
            .split(/[\s,;]+/)
            .filter(Boolean)
            .map(Number);
  const renewalNote = form.renewalNote === '' ? null : form.renewalNote;
  return {
    ...(interval !== null && { interval_minutes: interval }),
    ...(purpose && { purpose }),
    ...(checks !== 'keep' && { paused: checks === 'paused' }),
    ...(addTags.length > 0 && { add_tags: addTags }),
    ...(removeTags.length > 0 && { remove_tags: removeTags }),
    ...(noteChoice !== 'keep' && { note }),
    ...(expiringDays !== '' && { expiring_window_days: Number(expiringDays) }),
    ...(remind !== 'keep' && { remind_days: days }),
    ...(renewal !== 'keep' && { renewal: renewal === 'none' ? null : { on, note: renewalNote } }),
    ...(record === 'none' && { expected: null }),
    ...(record === 'set' && toExpectedChange(form)),
    ...(record === 'current' && { expect_current: true }),
  };
}

export function splitTags(text: string): string[] {
  return text.split(',').flatMap((tag) => tag.trim() || []);
}
