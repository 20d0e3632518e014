import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readClientSettings } from '../../config/config.js';
import { CommandFailed, EXIT } from '../exit-codes.js';

export interface Connection {
  readonly url?: string;
  readonly key?: string;
}

export interface ProblemBody {
  readonly code?: string;
  readonly detail?: string;
}

const EXIT_BY_STATUS: Readonly<Record<number, number>> = {
  401: EXIT.notAuthorised,
  403: EXIT.notAuthorised,
  404: EXIT.notFound,
  409: EXIT.refused,
  422: EXIT.refused,
};
const PATIENCE = 30_000;
const LOOPBACK = ['localhost', '[::1]'];

export interface Request {
  readonly method?: string;
  readonly body?: string | Buffer<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds until the answer is whole; null for one that takes as long as it takes. */
  readonly patience?: number | null;
}

/** It may go well the next time: the service is away, busy, or has had enough for now. */
export class ForNow extends CommandFailed {
  /** @param wait milliseconds that the service asks for; 0 when it asks for none */
  constructor(
    exitCode: number,
    message: string,
    readonly wait = 0,
  ) {
    super(exitCode, message);
  }
}

/** One GET, answered in JSON. */
export async function get(path: string, connection: Connection): Promise<unknown> {
  return (await ask(path, connection)).json();
}

/**
 * One request to the API of a service: that of the flags, of NAMEWATCH_URL and NAMEWATCH_KEY, or the one of DATA_DIR.
 * @throws CommandFailed with the exit code that fits the refusal, ForNow where it is none for good.
 */
export async function ask(path: string, connection: Connection, request: Request = {}): Promise<Response> {
  const { url, key } = locate(connection);
  const response = await answerOf(new URL(path, url), key, request);
  if (response.ok) return response;
  const { status, statusText, headers } = response;
  const refusal = failure((await response.json().catch(() => ({}))) as ProblemBody, status, statusText);
  if (status !== 429 && status < 500) throw refusal;
  throw new ForNow(refusal.exitCode, refusal.message, (Number(headers.get('retry-after')) || 0) * 1_000);
}

/** How a command ends that was refused with this problem. */
export function failure({ code, detail }: ProblemBody, status: number, otherwise = ''): CommandFailed {
  const exit = code === 'plan_limit_reached' ? EXIT.refused : (EXIT_BY_STATUS[status] ?? EXIT.failed);
  return new CommandFailed(exit, `${code ?? status}: ${detail ?? otherwise}`);
}

async function answerOf(url: URL, key: string, { patience = PATIENCE, ...rest }: Request): Promise<Response> {
  try {
    const headers = { ...rest.headers, authorization: `Bearer ${key}` };
    return await fetch(url, { ...rest, headers, ...(patience !== null && { signal: AbortSignal.timeout(patience) }) });
  } catch (cause) {
    throw new ForNow(EXIT.unreachable, `no Namewatch answers at ${url.origin}: ${(cause as Error).message}`);
  }
}

function locate(connection: Connection): { url: string; key: string } {
  const settings = readClientSettings();
  const here = kept(settings.dataDir, 'address');
  const url = connection.url ?? settings.url ?? here;
  if (url === null) throw new CommandFailed(EXIT.unreachable, 'no service is running here: give --url, or "npm start"');
  const firstKey = () => (here !== null && isSame(url, here) ? kept(settings.dataDir, 'first-key') : null);
  const key = connection.key ?? settings.key ?? firstKey();
  mustBeAddress(url, connection.url === undefined ? 'NAMEWATCH_URL' : '--url');
  if (key === null) throw new CommandFailed(EXIT.notAuthorised, 'no key: give --key, or set NAMEWATCH_KEY');
  return { url, key };
}

function mustBeAddress(url: string, source: '--url' | 'NAMEWATCH_URL'): void {
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return;
  const exitCode = source === '--url' ? EXIT.usage : EXIT.configuration;
  throw new CommandFailed(exitCode, `${source}: ${url} is not an http or https address`);
}

/** The first key may do everything here, and is for no other service to see. */
function isSame(url: string, here: string): boolean {
  const origin = originOf(url);
  return origin !== null && origin === originOf(here);
}

/** This machine has several names, and `address` has one of them. */
function originOf(url: string): string | null {
  const parsed = URL.parse(url);
  if (parsed && LOOPBACK.includes(parsed.hostname)) parsed.hostname = '127.0.0.1';
  return parsed?.origin ?? null;
}

function kept(folder: string, name: string): string | null {
  try {
    return readFileSync(join(folder, name), 'utf8').trim() || null;
  } catch {
    return null; // that there is none is an answer; the caller says what to do
  }
}
