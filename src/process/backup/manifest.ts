import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import type { DatabaseFacts } from '../../platform/database/table-snapshot.js';
import { version } from '../../platform/outbound/user-agent.js';
import { replaceFile } from '../secret-file.js';
import { errorMessage, RefusalError } from '../startup-error.js';

export const MANIFEST = 'manifest.json';
const FORMAT = 2;

export interface ListedFile {
  readonly path: string;
  readonly bytes: number;
  /** The SHA-256 digest of the file as stored in the backup. */
  readonly sha256: string;
}

export interface ListedTable extends ListedFile {
  readonly columns: readonly string[];
  readonly rows: number;
}

export interface BackupContent extends DatabaseFacts {
  readonly started_at: string;
  /** The backup contains everything that the service had confirmed to clients before this time. */
  readonly taken_at: string;
  /** True if the backup contains a master key that can decrypt the secrets in the backup. */
  readonly holds_master_key: boolean;
  readonly keys: readonly ListedFile[];
  readonly tables: Readonly<Record<string, ListedTable>>;
}

/** The list of a backup's content. Times are ISO 8601. */
export interface Manifest extends BackupContent {
  readonly format: number;
  readonly namewatch: string;
  readonly finished_at: string;
  readonly bytes: number;
  /** The SHA-256 digest of the manifest without this field. */
  readonly sha256: string;
}

export function writeManifest(folder: string, content: BackupContent): Manifest {
  const bytes = filesOf(content).reduce((sum, file) => sum + file.bytes, 0);
  const facts = { format: FORMAT, namewatch: version, ...content, finished_at: new Date().toISOString(), bytes };
  const manifest = { ...facts, sha256: digestOf(facts) };
  replaceFile(join(folder, MANIFEST), JSON.stringify(manifest, null, 2));
  return manifest;
}

export function filesOf({ keys, tables }: Pick<BackupContent, 'keys' | 'tables'>): ListedFile[] {
  return [...keys, ...Object.values(tables)];
}

/** @throws RefusalError if the manifest is missing, damaged, of another format or from a later version */
export function readManifest(folder: string): Manifest {
  const path = join(folder, MANIFEST);
  const { sha256, ...facts } = parse(path);
  if (facts.format !== FORMAT || semver.gt(facts.namewatch, version)) {
    const made = `${folder} was made by Namewatch ${facts.namewatch}, in format ${facts.format}`;
    throw new RefusalError(`${made}, and this is ${version} with format ${FORMAT}: restore it with its own version`);
  }
  if (sha256 !== digestOf(facts)) throw new RefusalError(`${folder} is not as it was written:\n  changed: ${MANIFEST}`);
  return { ...facts, sha256 };
}

function parse(path: string): Manifest {
  try {
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
    if (semver.valid(manifest.namewatch) === null) throw new Error('it is none of Namewatch');
    return manifest;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new RefusalError(`there is no ${path}: "namewatch backup" writes it last, so this is no whole backup`);
    throw new RefusalError(`${path} cannot be read: ${errorMessage(error)}`, { cause: error });
  }
}

function digestOf(facts: object): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}
