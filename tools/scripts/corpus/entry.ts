import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A result, as the index spells it. `unknown` means that the answer gives no status. */
export type Verdict = 'available' | 'registered' | 'pending_delete' | 'reserved' | 'unknown';

/** A line of an index, with the members that are used here. */
export interface Entry {
  readonly id: string;
  readonly kind: 'whois' | 'rdap';
  readonly host?: string | null;
  readonly tld: string | null;
  readonly zone?: string | null;
  readonly domain: string | null;
  /** The path of the answer's file, below the folder of the index. */
  readonly file?: string;
  /** The answer itself, if it is in the line of the index. */
  readonly answer?: string;
  readonly http_status?: number | null;
  /** The Content-Type of the answer. If missing, the media type of RDAP is assumed. */
  readonly content_type?: string | null;
  readonly tld_holdout_only?: boolean;
  /** null if the corpus does not know the right result. */
  readonly expect?: {
    readonly accept: readonly Verdict[];
    readonly expires_at: string | null;
    readonly expires_stated: string;
    readonly expires_precision: string | null;
  } | null;
}

/** The corpus is incomplete or malformed. Figures of a part would look like figures of the whole. */
export class InvalidCorpusError extends Error {}

/**
 * @param corpus a folder with an index, or the file that `namewatch doctor --registries` wrote
 * @throws InvalidCorpusError that names the first invalid line
 */
export function readEntries(corpus: string): Entry[] {
  const isFile = statSync(corpus, { throwIfNoEntry: false })?.isFile() === true;
  const index = isFile ? corpus : join(corpus, 'index.jsonl');
  const lines = readContent(index).toString().split('\n');
  if (isFile) lines.pop(); // empty, or cut off when the command was killed
  return lines.flatMap((line, at) => (line.trim() === '' ? [] : [parseEntry(line, `${index}:${at + 1}`)]));
}

/** @throws InvalidCorpusError if the answer's file is missing */
export function readAnswer(folder: string, { id, file, answer }: Entry): Buffer {
  return answer === undefined ? readContent(join(folder, file ?? ''), ` of ${id}`) : Buffer.from(answer);
}

function readContent(path: string, suffix = ''): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new InvalidCorpusError(`${path}${suffix} cannot be read: ${errorMessage(error)}`, { cause: error });
  }
}

function parseEntry(line: string, where: string): Entry {
  const entry = parseJson(line, where);
  if (!isEntry(entry))
    throw new InvalidCorpusError(`${where} is not an entry: it needs id, kind (whois or rdap), and file or answer`);
  return entry;
}

function parseJson(line: string, where: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new InvalidCorpusError(`${where} is not JSON: ${errorMessage(error)}`, { cause: error });
  }
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false;
  const { id, kind, file, answer, expect } = value as Record<string, unknown>;
  const isJudged = typeof expect === 'object' && expect !== null;
  const isNamed =
    typeof id === 'string' && typeof (file ?? answer) === 'string' && (kind === 'whois' || kind === 'rdap');
  return isNamed && (!isJudged || Array.isArray((expect as Record<string, unknown>)['accept']));
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
