import { isNativeError } from 'node:util/types';

/**
 * SQLSTATEs of a server that is going away, coming up or full: connection exceptions (class 08, but for a protocol
 * violation, which is what we sent), shutdown and start-up (57P), too many connections (53300), no room on disk (53100),
 * read-only during recovery (25006).
 */
const AWAY = /^(08(?!P01)...|57P0[1-5]|53300|53100|25006)$/;
const SOCKET = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']);
/** The driver reports these by message alone. */
const MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Cannot use a pool after|not queryable/;

/** True when PostgreSQL could not be asked, as opposed to having refused. Looks through causes. */
export function isDatabaseUnavailable(error: unknown, depth = 0): boolean {
  if (!isNativeError(error) || depth > 5) return false;
  const { code, errors = [] } = error as { code?: unknown; errors?: readonly unknown[] };
  if (typeof code === 'string' && (AWAY.test(code) || SOCKET.has(code))) return true;
  if (MESSAGES.test(error.message)) return true;
  return [error.cause, ...errors].some((one) => isDatabaseUnavailable(one, depth + 1));
}
