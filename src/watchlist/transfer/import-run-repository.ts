import type { AuditOrigin } from '../../auth/index.js';

/** An import at work, as it is stored until its end is recorded. */
export interface StoredImport {
  /** A UUID. */
  readonly id: string;
  readonly accountId: string;
  /** Of a sync. */
  readonly scopeTag: string | null;
  readonly origin: AuditOrigin;
}

/** How many entries. */
export interface WrittenEntries {
  readonly created: number;
  readonly changed: number;
  readonly removed: number;
}

/** What imports that have not ended wrote; in the transaction of the unit of work, unless it says otherwise. */
export abstract class ImportRunRepository {
  /** Adds to what is stored; an import that is not stored begins. */
  abstract add(run: StoredImport, written: WrittenEntries): Promise<void>;
  /** Says that the import is at work; outside any transaction. */
  abstract touch(id: string): Promise<void>;
  /** Deletes it. @returns what it wrote; null when another process recorded its end */
  abstract take(id: string): Promise<WrittenEntries | null>;
  /** The same for one that nothing was heard of for so long; null when there is none. */
  abstract takeAbandoned(seconds: number): Promise<(StoredImport & { readonly written: WrittenEntries }) | null>;
}
