import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { StartupError } from '../startup-error.js';
import { assertUsableAsDataDirectory, createDataDirectory } from './create-data-directory.js';
import { getOrCreateSecret, readSecret, readText, replaceFile } from './secret-file.js';

/** The base64 of 32 bytes. */
const MASTER_KEY = /^[A-Za-z0-9+/]{43}=$/;

/** Of the service that runs in a data directory. */
export interface ServiceFacts {
  /** Host and port; null when it sends no mail. */
  readonly mailRelay: string | null;
}

/** The folder of one service: its database, its secrets (each 0600) and where it listens. */
export class DataDirectory {
  private constructor(readonly path: string) {}

  /** Makes the folder where there is none: closed to others, but for root's, which the database user walks through. */
  static open(path: string): DataDirectory {
    const folder = resolve(path);
    createDataDirectory(folder);
    return new DataDirectory(folder);
  }

  /** The folder as it is, if it is there, for what only looks. @throws InvalidConfigurationError when none could work in it */
  static at(path: string): DataDirectory {
    const folder = resolve(path);
    assertUsableAsDataDirectory(folder);
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

  /** Of the role as which the service reads and writes. */
  databasePassword(): string {
    return this.password('pg-password');
  }

  /** Of the role that owns the tables, which is used to migrate them only. */
  ownerPassword(): string {
    return this.password('pg-owner-password');
  }

  /** Encrypts webhook secrets and stored replies; without it they are lost. */
  masterKey(): string {
    return this.validateMasterKey(getOrCreateSecret(this.masterKeyFile, () => randomBytes(32).toString('base64')));
  }

  /** The key made when the settings had none; null when they always had one. */
  existingMasterKey(): string | null {
    const key = readSecret(this.masterKeyFile);
    return key === null ? null : this.validateMasterKey(key);
  }

  /** The key of the first account; null once the operator took the file away. */
  firstKey(): string | null {
    return readSecret(this.firstKeyFile);
  }

  getOrCreateFirstKey(make: () => string): string {
    return getOrCreateSecret(this.firstKeyFile, make);
  }

  deleteFirstKey(): void {
    rmSync(this.firstKeyFile, { force: true });
  }

  /** As it can be typed from the current folder. */
  get firstKeyPath(): string {
    const near = relative(process.cwd(), this.firstKeyFile);
    return near.startsWith('..') ? this.firstKeyFile : near;
  }

  /** Where the service listens, for the commands that ask it. */
  writeAddress(address: string): void {
    replaceFile(this.addressFile, address);
  }

  /** What the settings of a command need not say as well: those of its service count. Without any secret. */
  writeServiceFacts(facts: ServiceFacts): void {
    replaceFile(this.factsFile, JSON.stringify(facts));
  }

  /** Null while none is ready. */
  serviceFacts(): ServiceFacts | null {
    const text = readText(this.factsFile);
    return text === null ? null : (JSON.parse(text) as ServiceFacts);
  }

  /** Where its service listens; null while none is ready. */
  address(): string | null {
    return readText(this.addressFile);
  }

  /** What a service wrote that is no longer ready. */
  deleteAddress(): void {
    for (const file of [this.addressFile, this.factsFile]) rmSync(file, { force: true });
  }

  private password(file: string): string {
    return getOrCreateSecret(join(this.path, file), () => randomBytes(24).toString('base64url'));
  }

  private validateMasterKey(key: string): string {
    if (!MASTER_KEY.test(key)) throw new StartupError(`${this.masterKeyFile} does not hold the base64 of 32 bytes`);
    return key;
  }

  private get factsFile(): string {
    return join(this.path, 'service.json');
  }

  private get addressFile(): string {
    return join(this.path, 'address');
  }

  private get masterKeyFile(): string {
    return join(this.path, 'master-key');
  }

  private get firstKeyFile(): string {
    return join(this.path, 'first-key');
  }
}
