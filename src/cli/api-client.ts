import type { PageMeta } from '#client';
import type { Command } from 'commander';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { type ClientSettings, readClientSettings } from '../config/config.js';
import { readText } from '../process/secret-file.js';
import { CommandError, EXIT } from './exit-codes.js';
import { jsonCommand } from './terminal.js';

/** Makes a command that sends requests to a service, with the options that all these commands share. */
export function apiCommand(name: string): Command {
  return jsonCommand(name).option('--url <url>', 'the service to ask').option('--key <key>', 'the API key to ask with');
}

export interface Connection {
  readonly url?: string;
  readonly key?: string;
}

export interface ApiOptions extends Connection {
  readonly json?: boolean;
}

export interface PageOptions extends ApiOptions {
  readonly page: number;
}

interface ProblemBody {
  readonly code?: string;
  readonly detail?: string;
}

const EXIT_BY_STATUS: Readonly<Record<number, number>> = {
  401: EXIT.notAuthorised,
  403: EXIT.notAuthorised,
  404: EXIT.notFound,
  409: EXIT.refused,
  412: EXIT.refused,
  422: EXIT.refused,
};
const TIMEOUT_MS = 30_000;
/** Error codes of a connection that failed before anything was sent. */
const NO_CONNECTION = new Set<unknown>([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const LOOPBACK = ['localhost', '[::1]'];

export interface Request {
  readonly method?: string;
  readonly body?: string | Buffer<ArrayBuffer>;
  /** A body sent as JSON. With PATCH it is a merge patch. */
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds until the whole response must have arrived; null for no limit. */
  readonly timeoutMs?: number | null;
}

/** The service is away, busy or limits requests. The same request may succeed later. */
export class RetryableError extends CommandError {
  /** @param retryAfterMs how long the service asks to wait; 0 if it does not say */
  constructor(
    exitCode: number,
    message: string,
    readonly retryAfterMs = 0,
  ) {
    super(exitCode, message);
  }
}

/** Sends one request as {@link callApi} does. @returns the JSON of the response */
export async function requestJson<Body>(path: string, connection: Connection, request: Request = {}): Promise<Body> {
  return (await callApi(path, connection, request)).json() as Promise<Body>;
}

/** Returns a line such as `page 1 of 3`, or no line if there is only one page. */
export function pageLines({ page, per_page, total }: PageMeta): string[] {
  const pages = Math.ceil(total / per_page);
  return pages > 1 ? [`page ${page} of ${pages}`] : [];
}

/** @throws CommandError with a fitting exit code; RetryableError if the request may succeed later */
export async function callApi(path: string, connection: Connection, request: Request = {}): Promise<Response> {
  const { url, key } = resolveConnection(connection);
  const response = await send(new URL(path, url), key, request);
  if (response.ok) return response;
  const { status, statusText, headers } = response;
  const error = toCommandFailure((await response.json().catch(() => ({}))) as ProblemBody, status, statusText);
  if (status !== 429 && status < 500) throw error;
  throw new RetryableError(error.exitCode, error.message, (Number(headers.get('retry-after')) || 0) * 1_000);
}

function toCommandFailure({ code, detail }: ProblemBody, status: number, fallback = ''): CommandError {
  const exit = code === 'plan_limit_reached' ? EXIT.refused : (EXIT_BY_STATUS[status] ?? EXIT.failed);
  return new CommandError(exit, `${code ?? status}: ${detail ?? fallback}`);
}

async function send(url: URL, key: string, { timeoutMs = TIMEOUT_MS, json, ...rest }: Request): Promise<Response> {
  try {
    const jsonType = rest.method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = {
      ...(json !== undefined && { 'content-type': jsonType }),
      ...rest.headers,
      authorization: `Bearer ${key}`,
    };
    return await fetch(url, {
      ...rest,
      ...(json !== undefined && { body: JSON.stringify(json) }),
      headers,
      ...(timeoutMs !== null && { signal: AbortSignal.timeout(timeoutMs) }),
    });
  } catch (cause) {
    const doubt = isPerhapsDone(rest.method, cause) ? '. It may have done the work all the same' : '';
    const reason = (cause as Error).message;
    throw new RetryableError(EXIT.unreachable, `no Namewatch answers at ${url.origin}: ${reason}${doubt}`);
  }
}

/** Whether the service may have made the change, although no response arrived. */
function isPerhapsDone(method: string | undefined, cause: unknown): boolean {
  const { code } = ((cause as Error).cause ?? {}) as { code?: unknown };
  return method !== undefined && method !== 'GET' && !NO_CONNECTION.has(code);
}

/** @throws CommandError when there is no service or no key */
export function resolveConnection(connection: Connection): { url: string; key: string } {
  const settings = readClientSettings();
  const localAddress = readText(join(settings.dataDir, 'address'));
  const url = connection.url ?? settings.url ?? localAddress;
  if (url === null) throw new CommandError(EXIT.unreachable, notRunning(settings));
  const firstKey = () =>
    localAddress !== null && isSameOrigin(url, localAddress) ? readText(join(settings.dataDir, 'first-key')) : null;
  const key = connection.key ?? settings.key ?? firstKey();
  assertHttpUrl(url, connection.url === undefined ? 'NAMEWATCH_URL' : '--url');
  if (key === null) throw new CommandError(EXIT.notAuthorised, 'no key: give --key, or set NAMEWATCH_KEY');
  return { url, key };
}

/** Explains that no service runs. Also tells which DATA_DIR was used, because the user may have forgotten to set it. */
function notRunning({ dataDir, isDataDirGiven }: ClientSettings): string {
  const chosen = isDataDirGiven ? 'as DATA_DIR says' : 'the default, since DATA_DIR is not set';
  const remedy = 'set DATA_DIR or NAMEWATCH_URL, give --url, or start one with "npm start"';
  return `no service is running in ${resolve(dataDir)} (${chosen}): ${remedy}`;
}

function assertHttpUrl(url: string, source: '--url' | 'NAMEWATCH_URL'): void {
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return;
  const exitCode = source === '--url' ? EXIT.usage : EXIT.configuration;
  throw new CommandError(exitCode, `${source}: ${url} is not an http or https address`);
}

/** Without this check, another service could get the admin key in `first-key`. */
function isSameOrigin(url: string, here: string): boolean {
  const origin = toOrigin(url);
  return origin !== null && origin === toOrigin(here);
}

/** Returns a URL's origin. Every loopback name becomes 127.0.0.1, so that URLs of one service are equal. */
function toOrigin(url: string): string | null {
  const parsed = URL.parse(url);
  if (parsed && LOOPBACK.includes(parsed.hostname)) parsed.hostname = '127.0.0.1';
  return parsed?.origin ?? null;
}

interface Row {
  /** The number of the line in the sent file. It is null for a stored entry that the file lacks. */
  readonly line: number | null;
}

/**
 * @returns the summary at the end of the response
 * @throws CommandError if the service sends an error, or the response breaks off
 */
export async function readStreamedRows<SentRow extends Row, Summary extends { readonly created: number }>(
  answer: Response,
  onRow: (row: SentRow) => void,
): Promise<Summary> {
  let lastLine: number | null = null;
  for await (const message of readMessages<SentRow | Summary>(answer)) {
    if ('created' in message) return message;
    lastLine = message.line ?? lastLine;
    onRow(message);
  }
  const done = lastLine === null ? '' : ` after line ${lastLine}`;
  const advice = 'The last lines may be stored or not: send the whole file again, that is safe';
  throw new CommandError(EXIT.failed, `the service ended its answer too early${done}. ${advice}`);
}

/**
 * Yields one message for each line.
 * @throws CommandError if the service sends an error instead of a message
 */
export async function* readMessages<Message extends object>(answer: Response): AsyncGenerator<Message, void, void> {
  for await (const text of readLines(answer)) {
    const message = JSON.parse(text) as
      Message | (ProblemBody & { readonly request_id: string; readonly status: number });
    if ('request_id' in message) throw toCommandFailure(message, message.status);
    yield message;
  }
}

/** A broken connection ends the lines without an error. Callers notice the missing summary at the end. */
async function* readLines(answer: Response): AsyncGenerator<string, void, void> {
  const body = Readable.fromWeb(answer.body as ReadableStream<Uint8Array>);
  let unfinished = '';
  try {
    for await (const chunk of body.setEncoding('utf8')) {
      const lines = (unfinished + String(chunk)).split('\n');
      unfinished = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    if (!isBrokenConnection(error)) throw error;
  }
}

/** Whether fetch threw this error because the connection broke while a response was read. */
function isBrokenConnection(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'terminated';
}
