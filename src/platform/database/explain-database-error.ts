import { isNativeError } from 'node:util/types';
import { isConnectionLost } from './database-unavailable.js';
import { DatabaseOfAnotherVersion } from './migration/migration-history.js';
import { PoolerInTransactionMode } from './session.js';
import { NoWritableHost } from './writable-host.js';

/** SQLSTATEs of a failed authentication (class 28), and of a missing right to connect or create (42501). */
const ACCESS_REFUSED = /^(28...|42501)$/;
const INSUFFICIENT_PRIVILEGE = '42501';
const USE_OWNER = 'set MIGRATION_DATABASE_URL to the user who owns its tables';
const MISSING_DATABASE = '3D000';
/** SQLSTATEs of a server that has no free connection (53300), or that starts up or shuts down (57P0x). */
const TEMPORARILY_UNAVAILABLE = /^(53300|57P0.)$/;
const CERTIFICATE_ERROR = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/;
/** Errors whose own message explains enough. */
const SAYS_ITSELF = [DatabaseOfAnotherVersion, NoWritableHost, PoolerInTransactionMode];
/** Error messages of a timeout. Some drivers wrap the error, so each cause of an error is compared. */
const TIMEOUT_MESSAGE = /timeout expired|timeout exceeded when trying to connect|due to connection timeout/;

interface DriverError extends Error {
  readonly code?: string;
  readonly severity?: string;
  readonly path?: string;
}

/** Explains why the database cannot be used, and names the setting. Returns null if no setting is at fault. */
export function explainDatabaseError(error: unknown, url: string, setting = 'DATABASE_URL'): string | null {
  const reason = isConnectionLost(error) ? null : explain(causesOf(error), url);
  return reason === null ? null : `${setting}: ${reason}`;
}

function explain(causes: readonly DriverError[], url: string): string | null {
  const error = causes.at(-1);
  if (!error) return null;
  const { hostname, port, user, database } = parseDatabaseUrl(url);
  const server = `${hostname}:${port}`;
  const { code = '', message, path } = error;
  if (SAYS_ITSELF.some((kind) => error instanceof kind)) return message;
  if (message.startsWith('unsupported startup parameter'))
    return `a pooler (PgBouncer) answers at ${server} and refuses a setting (${message}): docs/database.md, PgBouncer`;
  if (code === 'ECONNREFUSED') return `nothing is listening at ${server} (connection refused)`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `the host name ${hostname} cannot be resolved`;
  if (code === 'ETIMEDOUT' || causes.some((cause) => TIMEOUT_MESSAGE.test(cause.message)))
    return `${server} does not answer in time`;
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return `there is no route to ${server}`;
  if (code === 'ECONNRESET' || message.startsWith('Connection terminated'))
    return `${server} ended the connection: is it PostgreSQL?`;
  if (code === INSUFFICIENT_PRIVILEGE && error.severity !== 'FATAL')
    return `the user "${user}" may not migrate the database (${message}): ${USE_OWNER}`;
  if (ACCESS_REFUSED.test(code)) return `${server} refuses the user "${user}": ${message}`;
  if (code === MISSING_DATABASE) return `there is no database "${database}" at ${server}: create it, or name another`;
  if (TEMPORARILY_UNAVAILABLE.test(code)) return `${server} takes no connection now: ${message}`;
  if (message.includes('does not support SSL')) return `${server} does not offer TLS: leave out sslmode, or turn it on`;
  if (CERTIFICATE_ERROR.test(code)) return `the certificate of ${server} is not trusted: ${message}`;
  if (code === 'ENOENT' || code === 'EACCES') return path ? `cannot read its TLS file ${path}: ${message}` : null;
  return null;
}

/** Returns the error and its chain of causes. If several addresses of a host failed, takes the first error. */
function causesOf(error: unknown, depth = 0): DriverError[] {
  if (!isNativeError(error)) return depth === 0 ? [new Error(String(error))] : [];
  const { errors } = error as { errors?: unknown };
  const inner: unknown = Array.isArray(errors) ? (errors as unknown[])[0] : error.cause;
  return [error, ...(depth < 5 ? causesOf(inner, depth + 1) : [])];
}

function parseDatabaseUrl(url: string) {
  const parsed = URL.parse(url);
  const database = decodeURIComponent(parsed?.pathname.slice(1) ?? '');
  const user = decodeURIComponent(parsed?.username ?? '');
  return { hostname: parsed?.hostname || 'localhost', port: parsed?.port || '5432', user, database: database || user };
}
