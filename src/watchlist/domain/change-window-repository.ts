import type { ChangeWindow, OverIfStarted } from './change-window.js';

/** Runs inside a unit of work, which stores what changes in windows; `purge` is a statement of its own. */
export abstract class ChangeWindowRepository {
  /** These windows, or what is stored under their ids; in any order. Locked until the unit of work ends. */
  abstract findOrOpen(windows: readonly ChangeWindow[]): Promise<ChangeWindow[]>;
  /** Adds the name to those that these windows hold. @returns the ids of those that did not hold it */
  abstract hold(ids: readonly string[], name: string): Promise<ReadonlySet<string>>;
  /** Windows that are over and hold names, locked; without those that others have locked. */
  abstract findHoldingForUpdate(over: OverIfStarted, limit: number): Promise<ChangeWindow[]>;
  /** Removes the names that a window holds. @returns the first of them by the alphabet */
  abstract releaseNames(id: string, limit: number): Promise<string[]>;
  /** Deletes those that are over and hold nothing, which is as if they had not been, in short transactions. @returns how many */
  abstract purge(over: OverIfStarted, signal?: AbortSignal): Promise<number>;
}
