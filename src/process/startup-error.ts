/** The process cannot start or continue; the message explains it to the user. Exit code 1. */
export class StartupError extends Error {}

/** The request cannot be done as things are; nothing was changed. */
export class RefusalError extends StartupError {}

/** The sentence inside whatever was thrown, for use in a longer one. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Runs one step; when the machine refuses it, says what was being done. */
export function wrapStartupError<Result>(action: string, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`cannot ${action}: ${errorMessage(error)}`, { cause: error });
  }
}

/** PostgreSQL's clock was moved. A new process knows nothing of the times before, and repairs what was written with them. */
export class ClockMovedError extends StartupError {
  constructor(byMs: number) {
    const seconds = Math.round(Math.abs(byMs) / 1_000);
    super(
      `PostgreSQL's clock was put ${byMs > 0 ? 'forward' : 'back'} by ${seconds} s: this process ends for a restart`,
    );
  }
}
