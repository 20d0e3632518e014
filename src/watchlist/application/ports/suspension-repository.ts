export interface SuspendedEntry {
  readonly accountId: string;
  readonly id: string;
}

/** Entries whose account was suspended, or resumed, and that do not follow it yet. */
export abstract class SuspensionRepository {
  abstract findToPause(limit: number): Promise<readonly SuspendedEntry[]>;
  abstract findToResume(limit: number): Promise<readonly SuspendedEntry[]>;
  /** Inside a unit of work: the entry was paused by the suspension, and not by its watcher. */
  abstract markPaused(entry: SuspendedEntry): Promise<void>;
  /** Inside a unit of work. */
  abstract clearMark(entry: SuspendedEntry): Promise<void>;
}
