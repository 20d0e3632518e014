import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { RefusalError } from '../startup-error.js';
import { explainFileError, listFiles, type ReportProgress } from './files.js';
import { filesOf, type ListedFile, MANIFEST, type Manifest, readManifest } from './manifest.js';
import { readTable } from './table-file.js';

export interface VerifyOptions {
  readonly signal: AbortSignal;
  readonly report: ReportProgress;
}

/**
 * Checks that a backup is complete and unchanged, without a database.
 * @throws RefusalError naming the first differing files
 */
export async function verifyBackup(folder: string, options: VerifyOptions): Promise<Manifest> {
  try {
    const manifest = readManifest(folder);
    const differences = await findDifferences(folder, manifest, options);
    if (differences.length > 0)
      throw new RefusalError([`${folder} is not as it was written:`, ...shorten(differences)].join('\n  '));
    return manifest;
  } catch (error) {
    throw options.signal.aborted ? options.signal.reason : explainFileError(error, `cannot read ${folder}`);
  }
}

const MAX_LISTED = 20;

function shorten(lines: readonly string[]): string[] {
  if (lines.length <= MAX_LISTED) return [...lines];
  return [...lines.slice(0, MAX_LISTED), `and ${lines.length - MAX_LISTED} more`];
}

async function findDifferences(folder: string, manifest: Manifest, options: VerifyOptions): Promise<string[]> {
  const { signal, report } = options;
  const expected = new Set([MANIFEST, ...filesOf(manifest).map(({ path }) => path)]);
  const additional = (await listFiles(folder)).filter((path) => !expected.has(path));
  const differences: string[] = [];
  let read = 0;
  const onBytes = (bytes: number) => report('checking', (read += bytes), manifest.bytes);
  for (const file of filesOf(manifest)) {
    const difference =
      findWrongSize(folder, file) ??
      ('rows' in file
        ? await isChanged(() => readTable(join(folder, file.path), sink(), { signal, onBytes }), file)
        : await isChanged(() => readKey(join(folder, file.path)), file));
    if (difference !== null) differences.push(`${difference}: ${file.path}`);
  }
  return [...differences, ...additional.map((path) => `additional: ${path}`)];
}

function findWrongSize(folder: string, { path, bytes }: ListedFile): string | null {
  const found = lstatSync(join(folder, path), { throwIfNoEntry: false });
  if (!found) return 'missing';
  if (!found.isFile() || found.size > bytes) return 'changed';
  return found.size < bytes ? 'truncated' : null;
}

async function isChanged(read: () => object | Promise<object>, expected: object): Promise<'changed' | null> {
  try {
    const found = await read();
    const isSame = Object.entries(found).every(([name, value]) => Reflect.get(expected, name) === value);
    return isSame ? null : 'changed';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_') === true) return 'changed'; // cannot be decompressed
    throw error;
  }
}

function readKey(path: string) {
  return { sha256: createHash('sha256').update(readFileSync(path)).digest('hex') };
}

function sink(): Writable {
  return new Writable({ write: (_piece, _encoding, done) => done() });
}
