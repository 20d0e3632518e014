import type { DomainName } from '../../domains/language.js';
import { DomainError } from '../../kernel/domain-error.js';
import type { Plan } from '../../auth/language.js';
import { ENTRY_SETTINGS, type EntrySettings, type SettingField, type SettingKey } from './entry-settings.js';

export interface KnownEntry {
  readonly id: string;
  readonly settings: EntrySettings;
}

/** `keep` means that the entry is already right. `leave` means that the row is not about this entry. */
export type Decision =
  { readonly act: 'keep' | 'leave' | 'remove' } | { readonly act: 'change'; readonly settings: Partial<EntrySettings> };

export interface Row {
  readonly name: DomainName;
  /** The settings of a new entry; null if the row adds no entry. */
  readonly add: EntrySettings | null;
  /** Decides about an existing entry. @throws DomainError to refuse the row */
  readonly decide: (entry: KnownEntry) => Decision;
  /** Whether the watcher is notified of the current state even if nothing has changed. Defaults to false. */
  readonly notifyCurrent?: boolean;
}

export type RowOutcome =
  | { readonly outcome: 'created' | 'existing' | 'removed'; readonly id: string | null }
  | { readonly outcome: 'changed'; readonly id: string; readonly fields: readonly SettingField[] }
  /** The name has no entry, or its entry no longer matches the row's id or filter. */
  | { readonly outcome: 'gone' }
  | { readonly outcome: 'refused'; readonly refusal: DomainError };

export type WritingDecision =
  | { readonly act: 'add'; readonly settings: EntrySettings }
  | { readonly act: 'change'; readonly settings: Partial<EntrySettings> }
  | { readonly act: 'remove' };

/** Decides about one row. Returns the write to make, or the outcome if nothing needs to be written. */
export function decideRow(row: Row, entry: KnownEntry | null): WritingDecision | RowOutcome {
  if (!entry) return row.add ? { act: 'add', settings: row.add } : { outcome: 'gone' };
  try {
    const decision = row.decide(entry);
    if (decision.act === 'keep') return { outcome: 'existing', id: entry.id };
    if (decision.act === 'leave') return { outcome: 'gone' };
    return decision.act === 'change' ? decision : { act: 'remove' };
  } catch (error) {
    return refused(error);
  }
}

export function refuseBeyondPlan(plan: Plan, entryCount: number): RowOutcome | null {
  try {
    plan.requireRoomFor('entries', entryCount);
    return null;
  } catch (error) {
    return refused(error);
  }
}

export function changed(id: string, settings: Partial<EntrySettings>) {
  const fields = (Object.keys(settings) as SettingKey[]).map((key) => ENTRY_SETTINGS[key].field);
  return { outcome: 'changed', id, fields } as const;
}

function refused(error: unknown): RowOutcome {
  if (error instanceof DomainError) return { outcome: 'refused', refusal: error };
  throw error;
}
