import type { DomainName } from '../../domains/language.js';
import { DomainError } from '../../kernel/domain-error.js';
import type { Plan } from '../../auth/language.js';
import { ENTRY_SETTINGS, type EntrySettings, type SettingField, type SettingKey } from './entry-settings.js';

/** The part of an entry that a decision about its row needs. */
export interface KnownEntry {
  readonly id: string;
  readonly settings: EntrySettings;
}

/** The decision about an entry. `keep`: the entry is right already. `leave`: the row is no longer about this entry. */
export type Decision =
  { readonly act: 'keep' | 'leave' | 'remove' } | { readonly act: 'change'; readonly settings: Partial<EntrySettings> };

/** The part of a request or file that is about one name. */
export interface Row {
  readonly name: DomainName;
  /** The settings of a new entry; null if a name that nobody watches is not to be added. */
  readonly add: EntrySettings | null;
  /** Decides about an existing entry. @throws DomainError to refuse the row */
  readonly decide: (entry: KnownEntry) => Decision;
  /** Whether the watcher is told the current state although nothing has changed. Defaults to false. */
  readonly notifyCurrent?: boolean;
}

export type RowOutcome =
  | { readonly outcome: 'created' | 'existing' | 'removed'; readonly id: string | null }
  | { readonly outcome: 'changed'; readonly id: string; readonly fields: readonly SettingField[] }
  /** The name is not watched, or the row is no longer about this entry. */
  | { readonly outcome: 'gone' }
  | { readonly outcome: 'refused'; readonly refusal: DomainError };

export type WritingDecision =
  | { readonly act: 'add'; readonly settings: EntrySettings }
  | { readonly act: 'change'; readonly settings: Partial<EntrySettings> }
  | { readonly act: 'remove' };

/** Decides about one row. Returns the write to make, or the outcome if there is nothing to write. */
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

/** Returns a refusal if the plan has no room for another entry. */
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
