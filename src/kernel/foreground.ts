/** The work of this process that people wait for. Work that nobody waits for gives way to it, for a bounded time. */
export abstract class Foreground {
  /** Whether a request is being worked on. */
  abstract get isBusy(): boolean;
  /** Resolves when none is, or after so many milliseconds. */
  abstract idle(longestMs: number): Promise<void>;
}
