import type { ChangeWatchBody, Entry } from '../../../../clients/typescript/src/index.js';

export interface SettingsForm {
  readonly interval: number;
  readonly purpose: Entry['purpose'];
  readonly tags: string;
  readonly note: string;
  readonly expiringDays: string;
  /** null for the default days of the service. */
  readonly remindDays: string | null;
  readonly renewalOn: string;
  readonly renewalNote: string;
}

export function toSettingsForm(entry: Entry): SettingsForm {
  const { interval_minutes: interval, purpose, tags, note, renewal } = entry;
  return {
    interval,
    purpose,
    tags: tags.join(', '),
    note: note ?? '',
    expiringDays: String(entry.expiring_window_days),
    remindDays: entry.remind_days.join(', '),
    renewalOn: renewal?.on ?? '',
    renewalNote: renewal?.note ?? '',
  };
}

/**
 * The fields of this form. A button pauses an entry, and the expected record has its own form. A checkbox asks to
 * notify channels.
 */
type EditedField = Exclude<keyof ChangeWatchBody, 'paused' | 'expected' | 'notify_current'>;

/** Returns only changed fields. An empty field removes an optional value. */
export function toSettingsChange(form: SettingsForm, before: SettingsForm): ChangeWatchBody {
  const { interval, purpose, note, expiringDays, remindDays, renewalOn: on, renewalNote } = form;
  const tags = partsOf(form.tags, /,/);
  const days = remindDays === null ? null : partsOf(remindDays, /[\s,;]+/).map(Number);
  const isRenewalChanged = on !== before.renewalOn || renewalNote !== before.renewalNote;
  const changes = {
    interval_minutes: interval !== before.interval && { interval_minutes: interval },
    purpose: purpose !== before.purpose && { purpose },
    tags: form.tags !== before.tags && { tags: tags.length > 0 ? tags : null },
    note: note !== before.note && { note: note === '' ? null : note },
    expiring_window_days: expiringDays !== before.expiringDays && { expiring_window_days: Number(expiringDays) },
    remind_days: remindDays !== before.remindDays && { remind_days: days },
    renewal: isRenewalChanged && { renewal: on === '' ? null : { on, note: renewalNote === '' ? null : renewalNote } },
  } satisfies Record<EditedField, ChangeWatchBody | false>;
  return Object.assign({}, ...Object.values(changes)) as ChangeWatchBody;
}

function partsOf(text: string, separator: RegExp): string[] {
  return text.split(separator).flatMap((part) => part.trim() || []);
}
