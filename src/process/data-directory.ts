import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, accessSync, chmodSync, constants, mkdirSync, statSync } from 'node:fs';
import { join, relative, resolve, dirname } from 'node:path';
import { StartupError, errorMessage } from './startup-error.js';
import { getOrCreateSecret, readSecret, readText, replaceFile } from './secret-file.js';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import { runsAsRoot } from './postgres/database-user.js';

/** The format of a master key: 32 bytes in base64. */
const MASTER_KEY = /^[A-Za-z0-9+/]{43}=$/;

/**
 * These files are part of a backup, because the keys cannot be made again. Password files are not, because a restore
 * makes new passwords.
 */
export const KEY_FILES = ['master-key', 'first-key'] as const;

/** Facts about the running service. The service stores them in a file, and other commands read them. */
export interface ServiceFacts {
  /** Host and port of the mail server, or null if the service sends no mail. */
  readonly mailRelay: string | null;
}

/** The folder of one service, with its database, its secrets (mode 0600), and the address where it listens. */
export class DataDirectory {
  private constructor(readonly path: string) {}

  /** Makes the folder if it is missing. @throws InvalidConfigurationError if the folder is unusable */
  static open(path: string): DataDirectory {
    const folder = resolve(path);
    withProblem(`cannot make ${folder}`, () => {
      // With 0o711, PostgreSQL's user can reach the database inside, but other users cannot list the folder.
      if (makeFolder(folder)) chmodSync(folder, runsAsRoot() ? 0o711 : 0o700);
    });
    assertWritableFolder(folder);
    return new DataDirectory(folder);
  }

  /** Uses the folder without making or changing it. @throws InvalidConfigurationError if it is not writable */
  static at(path: string): DataDirectory {
    const folder = resolve(path);
    assertWritableFolder(nearestFolder(folder)); // if the folder is missing, checks the nearest parent that exists
    return new DataDirectory(folder);
  }

  get wasStarted(): boolean {
    return existsSync(this.lockFile);
  }

  get hasCluster(): boolean {
    return existsSync(this.cluster);
  }

  get lockFile(): string {
    return join(this.path, 'lock');
  }

  get cluster(): string {
    return join(this.path, 'pg');
  }

  /** Returns the password of the database role that reads and writes. Makes the password at the first call. */
  databasePassword(): string {
    return this.password('pg-password');
  }

  /**
   * Returns the password of the database role that owns and migrates the tables. Makes the password at the first call.
   */
  ownerPassword(): string {
    return this.password('pg-owner-password');
  }

  /** Makes the master key at the first call. If the key is lost, all stored secrets are lost. */
  masterKey(): string {
    return this.validateMasterKey(getOrCreateSecret(this.file('master-key'), () => randomBytes(32).toString('base64')));
  }

  /** Returns the stored master key, or null. In contrast to `masterKey`, makes no key. */
  existingMasterKey(): string | null {
    const key = readSecret(this.file('master-key'));
    return key === null ? null : this.validateMasterKey(key);
  }

  /** Returns the API key of the first account, or null if its file does not exist. */
  firstKey(): string | null {
    return readSecret(this.file('first-key'));
  }

  getOrCreateFirstKey(make: () => string): string {
    return getOrCreateSecret(this.file('first-key'), make);
  }

  deleteFirstKey(): void {
    rmSync(this.file('first-key'), { force: true });
  }

  /** The path is relative if the file is below the current folder. */
  get firstKeyPath(): string {
    const near = relative(process.cwd(), this.file('first-key'));
    return near.startsWith('..') ? this.file('first-key') : near;
  }

  /** Stores the address at which the service listens, so that other commands find the service. */
  writeAddress(address: string): void {
    replaceFile(this.file('address'), address);
  }

  /** Stores facts about the running service for other commands. The facts contain no secret. */
  writeServiceFacts(facts: ServiceFacts): void {
    replaceFile(this.file('service.json'), JSON.stringify(facts));
  }

  /** Returns the facts about the running service, or null while no service is ready. */
  serviceFacts(): ServiceFacts | null {
    const text = readText(this.file('service.json'));
    return text === null ? null : (JSON.parse(text) as ServiceFacts);
  }

  /** Returns where the service listens, or null while no service is ready. */
  address(): string | null {
    return readText(this.file('address'));
  }

  deleteAddress(): void {
    for (const file of [this.file('address'), this.file('service.json')]) rmSync(file, { force: true });
  }

  private password(file: string): string {
    return getOrCreateSecret(join(this.path, file), () => randomBytes(24).toString('base64url'));
  }

  private validateMasterKey(key: string): string {
    if (!MASTER_KEY.test(key))
      throw new StartupError(`${this.file('master-key')} does not hold the base64 of 32 bytes`);
    return key;
  }

  private file(name: 'address' | 'first-key' | 'master-key' | 'service.json'): string {
    return join(this.path, name);
  }
}

function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path));
}

function assertWritableFolder(path: string): void {
  if (!statSync(path).isDirectory()) throw new InvalidConfigurationError([`DATA_DIR: ${path} is not a folder`]);
  withProblem(`${path} is not writable`, () => accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK));
}

/** Makes missing parents one at a time, because mkdirSync with `recursive` hangs in Node 24 for a path below /proc. */
function makeFolder(path: string): boolean {
  if (existsSync(path)) return false;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false; // another process made the folder first
    throw error;
  }
}

function withProblem(problem: string, step: () => void): void {
  try {
    step();
  } catch (cause) {
    throw new InvalidConfigurationError([`DATA_DIR: ${problem}: ${errorMessage(cause)}`], { cause });
  }
}
