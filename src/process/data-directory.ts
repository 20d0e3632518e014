import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, accessSync, chmodSync, constants, mkdirSync, statSync } from 'node:fs';
import { join, relative, resolve, dirname } from 'node:path';
import { StartupError, errorMessage } from './startup-error.js';
import { getOrCreateSecret, readSecret, readText, replaceFile } from './secret-file.js';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import { runsAsRoot } from './postgres/database-user.js';

/** 32 bytes in base64. */
const MASTER_KEY = /^[A-Za-z0-9+/]{43}=$/;

/** Keys that cannot be made again, so a backup contains them. The passwords of the database are made anew. */
export const KEY_FILES = ['master-key', 'first-key'] as const;

/** Facts that the running service leaves for commands. */
export interface ServiceFacts {
  /** Host and port; null if the service sends no mail. */
  readonly mailRelay: string | null;
}

/** The folder of one service: its database, its secrets (mode 0600), and the address at which it listens. */
export class DataDirectory {
  private constructor(readonly path: string) {}

  /**
   * Makes the folder if it is missing, closed to others. Root's folder lets PostgreSQL's user pass through.
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

  /** Uses the folder without making it, to read only. @throws InvalidConfigurationError if it is unusable */
  static at(path: string): DataDirectory {
    const folder = resolve(path);
    assertWritableFolder(nearestFolder(folder)); // checks as much as is possible without making a folder
    return new DataDirectory(folder);
  }

  /** Whether a service has been started here. */
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

  /** Returns the key that encrypts webhook secrets and stored responses. If it is lost, so are they. */
  masterKey(): string {
    return this.validateMasterKey(getOrCreateSecret(this.file('master-key'), () => randomBytes(32).toString('base64')));
  }

  /** Returns the key that was made because the settings had none; null if none was made. */
  existingMasterKey(): string | null {
    const key = readSecret(this.file('master-key'));
    return key === null ? null : this.validateMasterKey(key);
  }

  /** Returns the key of the first account; null if the operator removed the file. */
  firstKey(): string | null {
    return readSecret(this.file('first-key'));
  }

  getOrCreateFirstKey(make: () => string): string {
    return getOrCreateSecret(this.file('first-key'), make);
  }

  deleteFirstKey(): void {
    rmSync(this.file('first-key'), { force: true });
  }

  /** Returns the path of the first key, relative to the current folder if it is inside. */
  get firstKeyPath(): string {
    const near = relative(process.cwd(), this.file('first-key'));
    return near.startsWith('..') ? this.file('first-key') : near;
  }

  /** Notes for other commands where the service listens. */
  writeAddress(address: string): void {
    replaceFile(this.file('address'), address);
  }

  /** Notes settings for other commands, so that these need not be repeated. They contain no secret. */
  writeServiceFacts(facts: ServiceFacts): void {
    replaceFile(this.file('service.json'), JSON.stringify(facts));
  }

  /** Returns null while no service is ready. */
  serviceFacts(): ServiceFacts | null {
    const text = readText(this.file('service.json'));
    return text === null ? null : (JSON.parse(text) as ServiceFacts);
  }

  /** Returns where the service listens; null while no service is ready. */
  address(): string | null {
    return readText(this.file('address'));
  }

  /** Deletes what a service noted when it was ready. */
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

/** Makes one folder at a time. With `recursive`, Node 24 never returns below /proc, where no folder can be made. */
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
