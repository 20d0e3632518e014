import type { LoggerService } from '@nestjs/common';

/** The first text, since our log lines may begin with an object of fields. */
function lineOf(parts: readonly unknown[]): string {
  const [first] = parts;
  if (first instanceof Error) return first.message;
  return parts.find((part) => typeof part === 'string') ?? String(first);
}

/** For commands: what scripts read stays alone on stdout, and only warnings and errors are worth a line on stderr. */
const STDERR: LoggerService = {
  log: () => undefined,
  warn: (...parts: unknown[]) => console.error(`warning: ${lineOf(parts)}`),
  error: (...parts: unknown[]) => console.error(`error: ${lineOf(parts)}`),
  fatal: (...parts: unknown[]) => console.error(`error: ${lineOf(parts)}`),
};

/** Nest's own logger would write to stdout, in colours, into pipes too. */
export async function logToStderr(): Promise<LoggerService> {
  const { Logger } = await import('@nestjs/common');
  Logger.overrideLogger(STDERR);
  return STDERR;
}
