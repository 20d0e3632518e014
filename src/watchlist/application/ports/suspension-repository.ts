export interface SuspendedEntry {
  readonly accountId: string;
  readonly id: string;
}

/** Entries that do not follow the suspension state of their account yet. */
export abstract class SuspensionRepository {
  abstract findToPause(limit: number): Promise<readonly SuspendedEntry[]>;
  abstract findToResume(limit: number): Promise<readonly SuspendedEntry[]>;
  /** Records that the suspension paused the entry, not its watcher; inside a unit of work. */
  abstract markPaused(entry: SuspendedEntry): Promise<void>;
  /** Inside a unit of work. */
  abstract clearMark(entry: SuspendedEntry): Promise<void>;
}
