export interface SuspendedAccount {
  readonly id: string;
  readonly suspendedAt: Date;
}

export interface SuspendedEntry {
  readonly accountId: string;
  readonly id: string;
}

/** An entry of a suspended account; its domain is its place in the account's order. */
export interface EntryToPause extends SuspendedEntry {
  readonly domain: string;
}

/** Entries that do not follow the suspension state of their account yet. */
export abstract class SuspensionRepository {
  /** Without accounts that are being deleted: their entries go in any case. */
  abstract findSuspendedAccounts(): Promise<readonly SuspendedAccount[]>;
  /** @param afterDomain only those behind it, so that a pass over a large account reads each entry once */
  abstract findToPause(accountId: string, afterDomain: string, limit: number): Promise<readonly EntryToPause[]>;
  abstract findToResume(limit: number): Promise<readonly SuspendedEntry[]>;
  /** Records that the suspension paused the entry, not its watcher; inside a unit of work. */
  abstract markPaused(entry: SuspendedEntry): Promise<void>;
  /** Inside a unit of work. */
  abstract clearMark(entry: SuspendedEntry): Promise<void>;
}
