import type { ChangeWindow } from './mass-change.js';

export interface ChangeWindowId {
  readonly accountId: string;
  /** See massChangeKey. */
  readonly key: string;
}
export type StoredChangeWindow = ChangeWindowId & ChangeWindow;

/** Counts of equal changes by account. */
export abstract class ChangeWindowRepository {
  /** Begins those that do not exist; in any order. Locked until the unit of work ends. */
  abstract findForUpdate(ids: readonly ChangeWindowId[], now: Date): Promise<StoredChangeWindow[]>;
  abstract save(windows: readonly StoredChangeWindow[]): Promise<void>;
  /** Deletes those that began before then; one statement. */
  abstract purge(startedBefore: Date): Promise<void>;
}
