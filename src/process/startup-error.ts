/** The process cannot start or continue. The error's message tells the user why, and the exit code is 1. */
export class StartupError extends Error {}

/** The command was refused, and nothing was changed. */
export class RefusalError extends StartupError {}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Runs a step. If the step fails, the error's message begins with `cannot` and the action. */
export function wrapStartupError<Result>(action: string, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`cannot ${action}: ${errorMessage(error)}`, { cause: error });
  }
}

/** This process ends because PostgreSQL's clock was changed. A new process repairs the wrong times in the database. */
export class ClockMovedError extends StartupError {
  constructor(byMs: number) {
    const seconds = Math.round(Math.abs(byMs) / 1_000);
    super(
      `PostgreSQL's clock was put ${byMs > 0 ? 'forward' : 'back'} by ${seconds} s: this process ends for a restart`,
    );
  }
}
