import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readClientSettings } from '../config.js';
import { CommandFailed, EXIT } from './exit-codes.js';

export interface Connection {
  readonly url?: string;
  readonly key?: string;
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
  422: EXIT.refused,
};
const PATIENCE = 30_000;

/**
 * One GET on the API of a service: that of the flags, of NAMEWATCH_URL and NAMEWATCH_KEY, or the one of DATA_DIR.
 * @throws CommandFailed with the exit code that fits the refusal.
 */
export async function get(path: string, connection: Connection): Promise<unknown> {
  const { url, key } = locate(connection);
  const response = await answerOf(new URL(path, url), key);
  const body: unknown = await response.json().catch(() => ({}));
  if (response.ok) return body;
  const { code, detail } = body as ProblemBody;
  const exit = code === 'plan_limit_reached' ? EXIT.refused : (EXIT_BY_STATUS[response.status] ?? EXIT.failed);
  throw new CommandFailed(exit, `${code ?? response.status}: ${detail ?? response.statusText}`);
}

async function answerOf(url: URL, key: string): Promise<Response> {
  try {
    const signal = AbortSignal.timeout(PATIENCE);
    return await fetch(url, { headers: { authorization: `Bearer ${key}` }, signal });
  } catch (cause) {
    throw new CommandFailed(EXIT.unreachable, `no Namewatch answers at ${url.origin}: ${(cause as Error).message}`);
  }
}

function locate(connection: Connection): { url: string; key: string } {
  const settings = readClientSettings();
  const url = connection.url ?? settings.url ?? kept(settings.dataDir, 'address');
  const key = connection.key ?? settings.key ?? kept(settings.dataDir, 'first-key');
  if (url === null) throw new CommandFailed(EXIT.unreachable, 'no service is running here: give --url, or "npm start"');
  if (key === null) throw new CommandFailed(EXIT.notAuthorised, 'no key: give --key, or set NAMEWATCH_KEY');
  return { url, key };
}

function kept(folder: string, name: string): string | null {
  try {
    return readFileSync(join(folder, name), 'utf8').trim() || null;
  } catch {
    return null; // that there is none is an answer; the caller says what to do
  }
}
