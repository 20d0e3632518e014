import type { LoggerService } from '@nestjs/common';

/** For commands: what scripts read stays alone on stdout, and only warnings and errors are worth a line on stderr. */
const STDERR: LoggerService = {
  log: () => undefined,
  warn: (message: unknown) => console.error(`warning: ${String(message)}`),
  error: (message: unknown) => console.error(`error: ${String(message)}`),
  fatal: (message: unknown) => console.error(`error: ${String(message)}`),
};

/** Nest's own logger would write to stdout, in colours, into pipes too. */
export async function logToStderr(): Promise<LoggerService> {
  const { Logger } = await import('@nestjs/common');
  Logger.overrideLogger(STDERR);
  return STDERR;
}
