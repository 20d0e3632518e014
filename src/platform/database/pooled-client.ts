import pg from 'pg';
import { withCurrentLogin } from '../current-login.js';
import { NoWritableHost, WritableHost } from './writable-host.js';

type Answer = (error: Error | null | undefined, result?: unknown) => void;
type Timeout = number | string | false | null | undefined;

/** Members of the driver's client that its types leave out. */
interface Internals {
  readonly connection: pg.Connection;
  readonly connectionParameters: { query_timeout: Timeout };
}
interface Parameter {
  readonly parameterName: string;
  readonly parameterValue: string;
}
const Query = pg.Query as unknown as new (statement: unknown, values: unknown, answer: Answer) => pg.Submittable;

/** The driver's own message, which `isDatabaseUnavailable` recognises. */
const TIMEOUT_MESSAGE = 'Query read timeout';
/** SQLSTATEs of a session that an administrator, a crash or a time limit ended. */
const SESSION_ENDED = /^57P0[125]$/;
const SOCKET_LOST = /^(ECONNRESET|EPIPE)$/;

/** PostgreSQL accepted the connection and ended it later, so the settings are right. */
export class ConnectionLost extends Error {}

/**
 * Frees the rows of finished queries early. The driver's own client keeps them for long: 100 MB in an import of 100 000
 * names.
 */
export class PooledClient extends pg.Client {
  private readonly timeout: Timeout;
  private readonly settings: pg.ClientConfig;
  /** null for a URL with one host. */
  private readonly writable: WritableHost | null;

  constructor(given: pg.ClientConfig = {}) {
    const { connectionString: url } = given;
    const settings = url === undefined ? given : { ...given, connectionString: withCurrentLogin(url) };
    super(settings);
    this.settings = settings;
    this.writable = WritableHost.of(settings.connectionString);
    const { connectionParameters } = this as unknown as Internals;
    this.timeout = connectionParameters.query_timeout;
    connectionParameters.query_timeout = false;
    // The pool listens to idle connections only. Without this listener, a lost connection in use would end the process.
    this.on('error', () => this.writable?.forget());
  }

  /** Connects to the writable host if the URL names several hosts. `never` fits all overloads of the driver. */
  override connect(...[callback]: never[]): never {
    const { writable } = this;
    const answer = callback as ((error?: unknown) => void) | undefined;
    if (writable === null) return super.connect(answer as never) as never;
    const connected = this.connectTo(writable);
    if (!answer) return connected as never;
    void connected.then(() => answer(), answer);
    return undefined as never;
  }

  private async connectTo(writable: WritableHost): Promise<this> {
    Object.assign(this, await writable.find(this.settings));
    let isStandby = false;
    (this as unknown as Internals).connection.on('parameterStatus', ({ parameterName, parameterValue }: Parameter) => {
      if (parameterName === 'in_hot_standby') isStandby = parameterValue === 'on';
    });
    try {
      await super.connect();
    } catch (error) {
      writable.forget();
      throw error;
    }
    if (!isStandby) return this;
    writable.forget();
    await super.end();
    throw new NoWritableHost(`${this.host}:${this.port} has become a standby`);
  }

  /** Queries that submit themselves, such as cursors, have no time limit. `never` fits all overloads of the driver. */
  override query(...[statement, values, callback]: never[]): never {
    return this.run(statement, values, callback) as never;
  }

  private run(statement: unknown, values: unknown, callback: unknown): unknown {
    if (isSubmittable(statement)) return super.query(statement);
    const answer = [callback, values, (statement as { callback?: unknown } | null)?.callback].find(isAnswer);
    const parameters = isAnswer(values) ? undefined : values;
    if (answer) return this.send(statement, parameters, answer);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.send(statement, parameters, (error, result) => (error ? reject(error) : resolve(result)));
    return promise.catch(rethrowFromCaller);
  }

  /** Sends a statement. The driver calls back even when the connection closes, so the timer is always cleared. */
  private send(statement: unknown, values: unknown, answer: Answer): void {
    const timeoutMs = Number((statement as { query_timeout?: Timeout }).query_timeout || this.timeout);
    let isLate = false;
    const query = new Query(statement, values, (error, result) => {
      clearTimeout(timer);
      answer(isLate ? new Error(TIMEOUT_MESSAGE) : error && nameLoss(error), result);
    });
    super.query(query);
    // Closes the connection, because a late result would pass as the result of the next statement.
    const closeConnection = () => {
      isLate = true;
      (this as unknown as Internals).connection.stream.destroy();
    };
    const timer = timeoutMs > 0 ? setTimeout(closeConnection, timeoutMs) : undefined;
  }
}

function nameLoss(error: Error & { readonly code?: string }): Error {
  const { code = '', message } = error;
  const isLost = SESSION_ENDED.test(code) || SOCKET_LOST.test(code) || message.startsWith('Connection terminated');
  return isLost ? new ConnectionLost(`PostgreSQL ended the connection: ${message}`, { cause: error }) : error;
}

function isSubmittable(statement: unknown): statement is pg.Submittable {
  return typeof (statement as { submit?: unknown } | null)?.submit === 'function';
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === 'function';
}

/** Replaces the stack, as the driver does, since a stack from the socket does not show our code. */
function rethrowFromCaller(error: Error): never {
  Error.captureStackTrace(error);
  throw error;
}
