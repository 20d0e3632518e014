import { isNativeError } from 'node:util/types';
import { DatabaseUnavailable } from '../../kernel/unit-of-work.js';

/**
 * SQLSTATEs of a server that is going away, coming up or full: connection exceptions (class 08, but for a protocol
 * violation, which is what we sent), shutdown and start-up (57P), out of connections, memory, disk or of what its
 * configuration allows (class 53), a device that fails (58030), read-only during recovery (25006).
 */
const SERVER_UNAVAILABLE = /^(08(?!P01)...|57P0[1-5]|53...|58030|25006)$/;
/**
 * SQLSTATEs of what it gave up for want of time or of a lock, and undid: a statement (57014) or a transaction (25P03,
 * 25P04) that took too long, a lock that was not to be had (55P03), two that waited for each other (40P01) or saw what
 * the other changed (40001). Nothing was wrong with the statement: it may succeed when it is run again.
 */
const ABORTED = /^(57014|25P0[34]|55P03|40P01|40001)$/;
const SOCKET_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);
/** The driver reports these by message alone. */
const DRIVER_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Cannot use a pool after|not queryable/;

/** True when PostgreSQL could not be asked, or gave up, as opposed to having refused. Looks through causes. */
export function isDatabaseUnavailable(error: unknown, depth = 0): boolean {
  if (!isNativeError(error) || depth > 5) return false;
  const { code, errors = [] } = error as { code?: unknown; errors?: readonly unknown[] };
  if (typeof code === 'string' && (SERVER_UNAVAILABLE.test(code) || ABORTED.test(code) || SOCKET_ERRORS.has(code)))
    return true;
  if (DRIVER_MESSAGES.test(error.message)) return true;
  return [error.cause, ...errors].some((one) => isDatabaseUnavailable(one, depth + 1));
}

/** The error as the application sees it: of a database that could not be asked, or gave up, it is DatabaseUnavailable. */
export function translateDatabaseError(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable || !isDatabaseUnavailable(error)) return error;
  return new DatabaseUnavailable((error as Error).message, error);
}
