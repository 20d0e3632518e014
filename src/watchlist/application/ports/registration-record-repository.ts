import type { DomainName, Observation, RecordKind, RecordValue } from '../../../domains/language.js';
import type { RecordUpdate } from '../../domain/watched-name/record-rules.js';

/** A confirmed change, with the value before it. */
export interface StoredRecordChange {
  readonly kind: RecordKind;
  readonly before: RecordValue;
  readonly after: RecordValue;
  readonly firstSeenAt: Date;
  /** The last lookup that showed the former value. */
  readonly previousSeenAt: Date;
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
  /** Deletes values that ended before then, in short transactions of its own. @returns how many */
  abstract purge(endedBefore: Date, signal?: AbortSignal): Promise<number>;
}
