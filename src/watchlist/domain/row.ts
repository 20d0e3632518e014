import type { DomainName } from '../../domains/language.js';
import { DomainError } from '../../kernel/domain-error.js';
import type { Plan } from '../../auth/language.js';
import { ENTRY_SETTINGS, type EntrySettings, type SettingField, type SettingKey } from './entry-settings.js';

/** An entry as it is when a row about it is decided. */
export interface KnownEntry {
  readonly id: string;
  readonly settings: EntrySettings;
}

/** The decision about an entry: `keep`, it is right already; `leave`, the row is not about it any more. */
export type Decision =
  { readonly act: 'keep' | 'leave' | 'remove' } | { readonly act: 'change'; readonly settings: Partial<EntrySettings> };

/** The part of a request, or of a file, about one name. */
export interface Row {
  readonly name: DomainName;
  /** The settings of a new entry; null: a name that is not watched stays so. */
  readonly add: EntrySettings | null;
  /** Decides about the entry that is there. It throws a DomainError as a refusal. */
  readonly decide: (entry: KnownEntry) => Decision;
  /** Whether what is so already is told; false where it is left out. */
  readonly notifyCurrent?: boolean;
}

export type RowOutcome =
  | { readonly outcome: 'created' | 'existing' | 'removed'; readonly id: string | null }
  | { readonly outcome: 'changed'; readonly id: string; readonly fields: readonly SettingField[] }
  /** It is not watched, or the row is not about it any more. */
  | { readonly outcome: 'gone' }
  | { readonly outcome: 'refused'; readonly refusal: DomainError };

export type WritingDecision =
  | { readonly act: 'add'; readonly settings: EntrySettings }
  | { readonly act: 'change'; readonly settings: Partial<EntrySettings> }
  | { readonly act: 'remove' };

/** Decides about one row: returns the write to make, or the outcome where there is none. */
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

/** Whether the plan has room for one entry more. */
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
