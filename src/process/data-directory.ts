import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, accessSync, chmodSync, constants, mkdirSync, statSync } from 'node:fs';
import { join, relative, resolve, dirname } from 'node:path';
import { StartupError, errorMessage } from './startup-error.js';
import { getOrCreateSecret, readSecret, readText, replaceFile } from './secret-file.js';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import { runsAsRoot } from './postgres/database-user.js';

/** 32 bytes in base64. */
const MASTER_KEY = /^[A-Za-z0-9+/]{43}=$/;

/** A backup contains these keys, since they cannot be made again. A restore makes new database passwords. */
export const KEY_FILES = ['master-key', 'first-key'] as const;

/** Settings that the running service stores for commands. */
export interface ServiceFacts {
  /** Host and port of the mail server, or null if the service sends no mail. */
  readonly mailRelay: string | null;
}

/** The folder of one service: its database, its secrets (mode 0600), and the address at which it listens. */
export class DataDirectory {
  private constructor(readonly path: string) {}

  /**
   * Makes the folder, closed to other users, if it is missing. Under root, PostgreSQL's user may pass through it.
   * @throws InvalidConfigurationError if it is unusable
   */
  static open(path: string): DataDirectory {
    const folder = resolve(path);
    withProblem(`cannot make ${folder}`, () => {
      if (makeFolder(folder)) chmodSync(folder, runsAsRoot() ? 0o711 : 0o700);
    });
    assertWritableFolder(folder);
    return new DataDirectory(folder);
  }

  /** Uses the folder for reading, without making it. @throws InvalidConfigurationError if it is unusable */
  static at(path: string): DataDirectory {
    const folder = resolve(path);
    assertWritableFolder(nearestFolder(folder)); // checks as much as is possible without making a folder
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

  /** Returns the password of the role that reads and writes. */
  databasePassword(): string {
    return this.password('pg-password');
  }

  /** Returns the password of the role that owns and migrates the tables. */
  ownerPassword(): string {
    return this.password('pg-owner-password');
  }

  /** Returns the master key, and makes it at the first call. Without this key, all stored secrets are lost. */
  masterKey(): string {
    return this.validateMasterKey(getOrCreateSecret(this.file('master-key'), () => randomBytes(32).toString('base64')));
  }

  /** Returns the stored key or null. An earlier start made this key, because the settings had no master key. */
  existingMasterKey(): string | null {
    const key = readSecret(this.file('master-key'));
    return key === null ? null : this.validateMasterKey(key);
  }

  /** Returns the key of the first account, or null if the operator removed the file. */
  firstKey(): string | null {
    return readSecret(this.file('first-key'));
  }

  getOrCreateFirstKey(make: () => string): string {
    return getOrCreateSecret(this.file('first-key'), make);
  }

  deleteFirstKey(): void {
    rmSync(this.file('first-key'), { force: true });
  }

  /** Returns the path of the first key's file, relative if the file lies below the current folder. */
  get firstKeyPath(): string {
    const near = relative(process.cwd(), this.file('first-key'));
    return near.startsWith('..') ? this.file('first-key') : near;
  }

  /** Stores for other commands where the service listens. */
  writeAddress(address: string): void {
    replaceFile(this.file('address'), address);
  }

  /** Stores settings for other commands. The settings contain no secret. */
  writeServiceFacts(facts: ServiceFacts): void {
    replaceFile(this.file('service.json'), JSON.stringify(facts));
  }

  /** Returns null while no service is ready. */
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

/** Makes one folder at a time. Node 24's `recursive` never returns below /proc, where no folder can be made. */
function makeFolder(path: string): boolean {
  if (existsSync(path)) return false;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false; // another process made it first
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
