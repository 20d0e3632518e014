import { Logger } from '@nestjs/common';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import { SECOND } from '../kernel/clock.js';
import { isDatabaseUnavailable } from '../platform/database/database-unavailable.js';
import { endableBySignal } from '../process/shutdown.js';

/** After so long a line says what is waited for, and after the limit the start has failed. */
const SLOW_MS = 10 * SECOND;
const START_LIMIT_MS = 60 * SECOND;

/**
 * Runs one step of an extension's code while the service starts.
 * @param step as a person would look for it in the code: `Ledger.onModuleInit`
 * @throws InvalidConfigurationError with the names of both, when it throws or takes more than a minute
 */
export async function superviseStart<Result>(
  extension: string,
  step: string,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await limitStart(extension, step, work);
  } catch (error) {
    throw toStartFailure(extension, step, error);
  }
}

/** Says what is waited for after ten seconds, and rejects after a minute. */
export async function limitStart<Result>(
  extension: string,
  step: string,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timers = [
    // The log is not open yet: until the whole service is created, its lines are kept back.
    setTimeout(() => writeLine(`the extension ${extension} has been starting for 10 s: waiting for ${step}`), SLOW_MS),
    setTimeout(() => late.reject(new Error('it has not ended within 60 s')), START_LIMIT_MS),
  ];
  try {
    return await Promise.race([Promise.resolve().then(() => endableBySignal(work)), late.promise]);
  } finally {
    timers.forEach(clearTimeout);
  }
}

/** An extension keeps the service from starting: a sentence for each reason, with its name. */
class ExtensionStartFailure extends InvalidConfigurationError {}

/**
 * Keeps the reasons that the extension gave itself, and those of a step inside this one. A database of ours that is away
 * stays what it is: the start waits for it.
 */
export function toStartFailure(extension: string, step: string, error: unknown): unknown {
  if (error instanceof ExtensionStartFailure || isOutageOfPostgres(error)) return error;
  const reasons =
    error instanceof InvalidConfigurationError ? error.problems : [`${step} failed: ${toSentence(error)}`];
  return new ExtensionStartFailure(
    reasons.map((reason) => `the extension ${extension} does not start: ${reason}`),
    { cause: error },
  );
}

const SQLSTATE = /^[0-9A-Z]{5}$/;

function isOutageOfPostgres(error: unknown): boolean {
  return isDatabaseUnavailable(error) && SQLSTATE.test(String((error as { readonly code?: unknown }).code));
}

/** Returns the first line of whatever was thrown: the rest is a stack or code. */
export function toSentence(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.trim().split('\n')[0] ?? '';
}

/** Runs a step of an extension's code while the service stops, which nothing keeps from stopping. */
export async function superviseStop(extension: string, step: string, work: () => unknown): Promise<void> {
  const log = new Logger('Extensions');
  const slow = setTimeout(
    () => log.warn(`the extension ${extension} has been stopping for 10 s: waiting for ${step}`),
    SLOW_MS,
  );
  try {
    await work();
  } catch (err) {
    log.error({ err }, `${step} of the extension ${extension} failed while the service stopped`);
  } finally {
    clearTimeout(slow);
  }
}

function writeLine(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}
