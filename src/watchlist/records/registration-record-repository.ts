import type { DomainName, Evidence, Observation, RecordKind, RecordValue } from '../../domains/language.js';
import type { RecordUpdate } from '../domain/record-rules.js';

/** A confirmed change, with the value before it. */
export interface StoredRecordChange {
  readonly kind: RecordKind;
  readonly before: RecordValue;
  readonly after: RecordValue;
  readonly firstSeenAt: Date;
  /** The last lookup that showed the former value. */
  readonly previousSeenAt: Date;
}

/** A change as an account may see it. */
export interface ListedRecordChange extends StoredRecordChange {
  readonly confirmedAt: Date;
  readonly evidence: readonly Evidence[];
}

/** Registration records of watched names: for each kind its value, and the former ones. */
export abstract class RegistrationRecordRepository {
  /**
   * Stores values in place of the current ones; inside a unit of work, one statement for all.
   * @returns the changes: updates of the type `changed` whose former value is stored
   */
  abstract save(name: DomainName, updates: readonly RecordUpdate[], seen: Observation): Promise<StoredRecordChange[]>;
  /** Ends the current values; inside a unit of work. */
  abstract end(name: DomainName, lastSeenAt: Date | null): Promise<void>;
  /** Changes since the entry was created, newest first; empty for another account's. Two statements, outside of any transaction. */
  abstract findChanges(
    accountId: string,
    entryId: string,
    page: number,
    perPage: number,
  ): Promise<{ readonly rows: readonly ListedRecordChange[]; readonly total: number }>;
  /** Deletes values that ended before then, in short transactions of its own. @returns how many */
  abstract purge(endedBefore: Date, signal?: AbortSignal): Promise<number>;
}
