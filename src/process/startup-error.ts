/** The process cannot start or continue. The message explains this to the user; the exit code is 1. */
export class StartupError extends Error {}

/** The command cannot be done in the present state. Nothing was changed. */
export class RefusalError extends StartupError {}

/** Returns the message of whatever was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Runs a step. If the machine refuses it, the error names the action. */
export function wrapStartupError<Result>(action: string, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`cannot ${action}: ${errorMessage(error)}`, { cause: error });
  }
}

/** PostgreSQL's clock was moved. A new process forgets the former times, and repairs what was written with them. */
export class ClockMovedError extends StartupError {
  constructor(byMs: number) {
    const seconds = Math.round(Math.abs(byMs) / 1_000);
    super(
      `PostgreSQL's clock was put ${byMs > 0 ? 'forward' : 'back'} by ${seconds} s: this process ends for a restart`,
    );
  }
}
