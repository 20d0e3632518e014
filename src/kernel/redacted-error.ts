const MAX_CAUSES = 5;

/**
 * A copy of what was thrown, with its causes, for the log of whatever application this runs in. Other fields are left
 * out: HTTP clients keep the request there, with its headers.
 */
export function redactedError(error: unknown, redact: (text: string) => string, causes = MAX_CAUSES): unknown {
  if (!(error instanceof Error)) return redact(String(error));
  const copy = new Error(redact(error.message));
  copy.name = error.name;
  copy.stack = redact(error.stack ?? '');
  if (error.cause !== undefined && causes > 0) copy.cause = redactedError(error.cause, redact, causes - 1);
  return copy;
}
