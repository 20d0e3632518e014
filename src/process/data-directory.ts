import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, accessSync, chmodSync, constants, mkdirSync, statSync } from 'node:fs';
import { join, relative, resolve, dirname } from 'node:path';
import { StartupError, errorMessage } from './startup-error.js';
import { getOrCreateSecret, readSecret, readText, replaceFile } from './secret-file.js';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import { runsAsRoot } from './postgres/database-user.js';

/** The base64 of 32 bytes. */
const MASTER_KEY = /^[A-Za-z0-9+/]{43}=$/;

/** Files that no other folder can make again: a backup holds them beside the database, whose passwords are made anew. */
export const KEY_FILES = ['master-key', 'first-key'] as const;

/** The facts that the service of a data directory tells commands. */
export interface ServiceFacts {
  /** Host and port; null when it sends no mail. */
  readonly mailRelay: string | null;
}

/** The folder of one service: its database, its secrets (each 0600) and where it listens. */
export class DataDirectory {
  private constructor(readonly path: string) {}

  /**
   * Makes the folder where there is none: closed to others, but for root's, which the database user walks through.
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

  /** Takes the folder as it is, if it is there, for what only looks. @throws InvalidConfigurationError if it is unusable */
  static at(path: string): DataDirectory {
    const folder = resolve(path);
    assertWritableFolder(nearestFolder(folder)); // as far as can be told without making anything
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

  /** Lets the service read and write. */
  databasePassword(): string {
    return this.password('pg-password');
  }

  /** Lets the owner of the tables migrate them. */
  ownerPassword(): string {
    return this.password('pg-owner-password');
  }

  /** Encrypts webhook secrets and stored responses; without it they are lost. */
  masterKey(): string {
    return this.validateMasterKey(getOrCreateSecret(this.file('master-key'), () => randomBytes(32).toString('base64')));
  }

  /** The key made when the settings had none; null when they always had one. */
  existingMasterKey(): string | null {
    const key = readSecret(this.file('master-key'));
    return key === null ? null : this.validateMasterKey(key);
  }

  /** The key of the first account; null once the operator took the file away. */
  firstKey(): string | null {
    return readSecret(this.file('first-key'));
  }

  getOrCreateFirstKey(make: () => string): string {
    return getOrCreateSecret(this.file('first-key'), make);
  }

  deleteFirstKey(): void {
    rmSync(this.file('first-key'), { force: true });
  }

  /** Can be typed as it is from the current folder. */
  get firstKeyPath(): string {
    const near = relative(process.cwd(), this.file('first-key'));
    return near.startsWith('..') ? this.file('first-key') : near;
  }

  /** Tells the commands where the service listens. */
  writeAddress(address: string): void {
    replaceFile(this.file('address'), address);
  }

  /** Settings that a command need not repeat: it uses those of its service. They hold no secret. */
  writeServiceFacts(facts: ServiceFacts): void {
    replaceFile(this.file('service.json'), JSON.stringify(facts));
  }

  /** Null while none is ready. */
  serviceFacts(): ServiceFacts | null {
    const text = readText(this.file('service.json'));
    return text === null ? null : (JSON.parse(text) as ServiceFacts);
  }

  /** Returns where its service listens; null while none is ready. */
  address(): string | null {
    return readText(this.file('address'));
  }

  /** Deletes the files of a service that is no longer ready. */
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

/** One folder at a time: with `recursive` Node 24 never returns below /proc, where none can be made. */
function makeFolder(path: string): boolean {
  if (existsSync(path)) return false;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false; // another start was faster
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
