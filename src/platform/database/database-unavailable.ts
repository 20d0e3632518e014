import { isNativeError } from 'node:util/types';
import { DatabaseUnavailable } from '../../kernel/unit-of-work.js';
import { ConnectionLost } from './pooled-client.js';

/**
 * SQLSTATEs: 08 connection lost, 57P shutdown or start, 53 lack of resources, 58030 failing device, 25006 read-only.
 * Excludes 08P01 (protocol violation), because that is a mistake of Namewatch.
 */
const SERVER_UNAVAILABLE = /^(08(?!P01)...|57P0[1-5]|53...|58030|25006)$/;
/**
 * SQLSTATEs of work that may succeed when it runs again: 57014, 25P03, 25P04 timeout, 55P03 lock, 40P01 deadlock, 40001
 * serialisation failure.
 */
const ABORTED = /^(57014|25P0[34]|55P03|40P01|40001)$/;
/** SQLSTATEs of a lock that is not available, and of a deadlock. */
const LOCK_CONFLICT = /^(55P03|40P01)$/;
const FOREIGN_KEY_VIOLATION = '23503';
const SOCKET_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);
/** A refused login counts as an outage, because a new password may not be in DATABASE_URL_FILE yet. */
const LOGIN_REFUSED = /^28...$/;
const DRIVER_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Cannot use a pool after|not queryable/;

/** True if PostgreSQL was unreachable, refused the login or aborted a statement. Checks the error's causes too. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return hasCause(
    error,
    ({ code, message }) =>
      [SERVER_UNAVAILABLE, ABORTED, LOGIN_REFUSED].some((codes) => codes.test(code)) ||
      SOCKET_ERRORS.has(code) ||
      DRIVER_MESSAGES.test(message),
  );
}

export function isLoginRefused(error: unknown): boolean {
  return hasCause(error, ({ code }) => LOGIN_REFUSED.test(code));
}

/** True if another transaction holds a lock that this work needs. */
export function isLockConflict(error: unknown): boolean {
  return hasCause(error, ({ code }) => LOCK_CONFLICT.test(code));
}

export function isForeignKeyViolation(error: unknown): boolean {
  return hasCause(error, ({ code }) => code === FOREIGN_KEY_VIOLATION);
}

/** True if the connection was established and PostgreSQL ended it later. */
export function isConnectionLost(error: unknown): boolean {
  return hasCause(error, ({ cause }) => cause instanceof ConnectionLost);
}

interface Failure {
  readonly cause: Error;
  readonly code: string;
  readonly message: string;
}

function hasCause(error: unknown, isIt: (failure: Failure) => boolean, depth = 0): boolean {
  if (!isNativeError(error) || depth > 5) return false;
  const { code, message, errors = [] } = error as { code?: unknown; message: string; errors?: readonly unknown[] };
  if (isIt({ cause: error, code: typeof code === 'string' ? code : '', message })) return true;
  return [error.cause, ...errors].some((one) => hasCause(one, isIt, depth + 1));
}

/** Returns DatabaseUnavailable if the database was unreachable or aborted the statement, else the error itself. */
export function translateDatabaseError(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable || !isDatabaseUnavailable(error)) return error;
  return new DatabaseUnavailable((error as Error).message, error);
}
