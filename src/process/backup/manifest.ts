import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import type { DatabaseContent } from '../../platform/database/online-backup.js';
import { version } from '../../platform/outbound/user-agent.js';
import { replaceFile } from '../secret-file.js';
import { errorMessage, RefusalError, StartupError } from '../startup-error.js';
import {
  type FileSize,
  type FileTree,
  listFiles,
  readFile,
  type ReadOptions,
  syncToDisk,
  totalBytes,
} from './files.js';

const MANIFEST = 'manifest.json';
/** PostgreSQL's files can be read on machines of the same kind. */
const PLATFORM = `${process.platform}-${process.arch}`;
const FORMAT = 1;

export interface BackupFacts {
  /** The version of PostgreSQL whose files these are. */
  readonly postgres: string;
  readonly started_at: string;
  /** All that was acknowledged until then is in it. */
  readonly taken_at: string;
  /** Whether the secrets in it can be read with a key in it. */
  readonly holds_master_key: boolean;
  readonly tables: DatabaseContent['tables'];
  readonly last_event: DatabaseContent['last_event'];
}

/** What is in a backup, and was when it was read for the last time; times are ISO 8601. */
export interface Manifest extends BackupFacts {
  readonly format: number;
  /** The version of Namewatch that made it. */
  readonly namewatch: string;
  readonly platform: string;
  readonly finished_at: string;
  readonly bytes: number;
  readonly folders: readonly string[];
  readonly files: readonly ListedFile[];
}

interface ListedFile extends FileSize {
  readonly sha256: string;
}

/** Writes down what is in the folder, once all of it is on the disk. */
export async function writeManifest(
  folder: string,
  facts: BackupFacts,
  { folders, files }: FileTree,
  options: ReadOptions,
): Promise<Manifest> {
  const listed: ListedFile[] = [];
  for (const file of files) {
    const hash = createHash('sha256');
    const onPiece = (piece: Buffer) => {
      hash.update(piece);
      return options.onPiece(piece);
    };
    await readFile(join(folder, file.path), { ...options, onPiece });
    await syncToDisk(join(folder, file.path));
    listed.push({ ...file, sha256: hash.digest('hex') });
  }
  for (const path of folders) await syncToDisk(join(folder, path));
  const manifest = {
    format: FORMAT,
    namewatch: version,
    platform: PLATFORM,
    ...facts,
    finished_at: new Date().toISOString(),
    bytes: totalBytes(files),
    folders,
    files: listed,
  };
  replaceFile(join(folder, MANIFEST), JSON.stringify(manifest, null, 2));
  return manifest;
}

/** @throws RefusalError for what is no backup of this kind, or one that this program cannot restore */
export function readManifest(folder: string): Manifest {
  const path = join(folder, MANIFEST);
  const manifest = parseManifest(path);
  const made = `this backup was made by Namewatch ${manifest.namewatch} on ${manifest.platform}`;
  if (manifest.format !== FORMAT || semver.gt(manifest.namewatch, version))
    throw new RefusalError(`${made}, and this is ${version}: restore it with that version or a newer one`);
  if (manifest.platform !== PLATFORM)
    throw new RefusalError(`${made}, and this is ${PLATFORM}, where PostgreSQL's files mean something else`);
  return manifest;
}

function parseManifest(path: string): Manifest {
  try {
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
    if (semver.valid(manifest.namewatch) === null) throw new Error('it names no version');
    if (!manifest.files.every(isListedFile) || !manifest.folders.every(isText)) throw new Error('it lists no files');
    return manifest;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new RefusalError(`there is no ${path}: "namewatch backup" writes it last, so this is no whole backup`);
    throw new StartupError(`${path} cannot be read: ${errorMessage(error)}`, { cause: error });
  }
}

function isListedFile({ path, bytes, sha256 }: Record<keyof ListedFile, unknown>): boolean {
  return isText(path) && Number.isInteger(bytes) && isText(sha256);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/** Says what is missing, additional or of another size, a line each. */
export async function findDifferences(folder: string, manifest: Manifest): Promise<string[]> {
  const { folders, files } = await listFiles(folder);
  const expected = toSizes(manifest);
  const found = toSizes({ folders, files: files.filter(({ path }) => path !== MANIFEST) });
  return [
    ...[...expected].flatMap(([path, bytes]) => {
      if (!found.has(path)) return [`missing: ${path}`];
      return found.get(path) === bytes ? [] : [`changed: ${path}`];
    }),
    ...[...found.keys()].filter((path) => !expected.has(path)).map((path) => `additional: ${path}`),
  ];
}

/** A folder has no size. */
function toSizes({ folders, files }: FileTree): ReadonlyMap<string, number | null> {
  return new Map<string, number | null>([
    ...folders.map((path) => [path, null] as const),
    ...files.map(({ path, bytes }) => [path, bytes] as const),
  ]);
}
