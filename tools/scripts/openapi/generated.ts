import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createClient } from '../../openapi-client.js';
import { format } from '../../prettier.js';
import type { Json } from './breaking-changes.js';
import { currentApi } from './current-api.js';
import { eventPages } from './event-pages.js';
import { pagesWithTables } from './settings-tables.js';
import { watchlistFileSchema } from './watchlist-file-schema.js';

const ROOT = join(import.meta.dirname, '../../..');
const DOCUMENT = 'api/openapi.json';
const PROBLEMS = 'docs/problems.md';
const EVENTS = 'docs/events.md';
const WATCHLIST_FILE = 'src/cli/commands/watchlist-file.schema.json';
const CLIENT = 'clients/typescript/src/generated';

/** The API document, and every file that is made from the code, by its path in the project. */
export interface Generated {
  readonly document: Json;
  readonly files: ReadonlyMap<string, string>;
}

export async function generated(): Promise<Generated> {
  const { document, problems } = await currentApi();
  const client = [...(await typescriptClient(document))].map(([path, text]) => [join(CLIENT, path), text] as const);
  const pages = [
    [PROBLEMS, problems],
    [EVENTS, await eventPages(document)],
    [WATCHLIST_FILE, await watchlistFileSchema(document)],
    ...(await pagesWithTables()),
  ] as const;
  return { document, files: new Map([[DOCUMENT, await textOf(document)], ...pages, ...client]) };
}

/** Formats with Prettier: short objects on one line save a third of the bytes and make changes easier to read. */
function textOf(document: Json): Promise<string> {
  return format(JSON.stringify(document), { parser: 'json', printWidth: 120 });
}

export function committedDocument(): Json {
  return JSON.parse(readFileSync(join(ROOT, DOCUMENT), 'utf8')) as Json;
}

/** Returns the generated files that are outdated, missing or no longer generated. */
export function differences({ files }: Generated): string[] {
  const changed = [...files].filter(([path, text]) => committed(path) !== text).map(([path]) => path);
  return [...changed, ...leftOver(files)];
}

/** @returns the paths of the changed files */
export function write(made: Generated): string[] {
  const changed = differences(made);
  for (const path of changed) {
    const text = made.files.get(path);
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    if (text === undefined) rmSync(join(ROOT, path));
    else writeFileSync(join(ROOT, path), text);
  }
  return changed;
}

/** Returns the client's files by their path in its folder. They are made in a temporary folder. */
async function typescriptClient(document: Json): Promise<ReadonlyMap<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-client-'));
  try {
    await createClient({
      input: withEventsOfStreams(document) as never,
      output: { path: join(folder, 'made'), module: { extension: '.js' } },
      plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
      logs: { level: 'silent' },
    });
    return new Map([...filesIn(join(folder, 'made'))].map(([path, text]) => [path, adapted(path, text)]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Gives the client the type of the events in a stream. The document describes the stream as text. */
function withEventsOfStreams(document: Json): Json {
  const streamed = (name: string, value: unknown) => {
    const schema =
      name === 'text/event-stream' ? (value as { schema?: { contentSchema?: unknown } }).schema : undefined;
    return schema?.contentSchema === undefined ? value : { schema: schema.contentSchema };
  };
  return JSON.parse(JSON.stringify(document), streamed) as Json;
}

/** Adapts the runtime, which the generator copies: it is written for laxer compilers and links to other sites. */
function adapted(path: string, text: string): string {
  const isRuntime = /^(client|core)\//.test(path);
  return isRuntime ? `// @ts-nocheck\n${text.replace(/\{@link https?:\/\/\S+ ([^}]+)\}/g, '$1')}` : text;
}

function committed(path: string): string | undefined {
  return existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : undefined;
}

function leftOver(files: ReadonlyMap<string, string>): string[] {
  const present = existsSync(join(ROOT, CLIENT)) ? [...filesIn(join(ROOT, CLIENT)).keys()] : [];
  return present.map((path) => join(CLIENT, path)).filter((path) => !files.has(path));
}

function filesIn(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  return new Map(paths.map((path) => [relative(folder, path), readFileSync(path, 'utf8')]));
}
