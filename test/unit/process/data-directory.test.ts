import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DataDirectory } from '../../../src/process/data-directory.js';
import { runsAsRoot } from '../../../src/process/postgres/database-user.js';

let folder: string;
let directory: DataDirectory;

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'namewatch-test-')), 'deep/.data');
  directory = DataDirectory.open(folder);
});
afterEach(() => rmSync(join(folder, '../..'), { recursive: true }));

const modeOf = (name: string) => statSync(join(folder, name)).mode & 0o777;

describe('a data directory', () => {
  it('is created with its parent folders, and other users may not list its files', () => {
    expect(modeOf('.')).toBe(runsAsRoot() ? 0o711 : 0o700);
  });

  it('does not change the mode of a folder that exists already', () => {
    chmodSync(folder, 0o750);
    DataDirectory.open(folder);
    expect(modeOf('.')).toBe(0o750);
  });

  it('reports in one sentence if it cannot be created', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => DataDirectory.open(join(folder, 'file/below'))).toThrow(/^DATA_DIR: cannot make .*ENOTDIR/);
  });

  it('creates each secret once, in a file that only its owner can read', () => {
    const made = [
      directory.masterKey(),
      directory.databasePassword(),
      directory.ownerPassword(),
      directory.getOrCreateFirstKey(() => 'nw_key'),
    ];
    const again = DataDirectory.open(folder);
    expect([
      again.masterKey(),
      again.databasePassword(),
      again.ownerPassword(),
      again.getOrCreateFirstKey(() => 'nw_other'),
    ]).toEqual(made);
    for (const name of ['master-key', 'pg-password', 'pg-owner-password', 'first-key'])
      expect(modeOf(name)).toBe(0o600);
    expect(readdirSync(folder).sort()).toEqual(['first-key', 'master-key', 'pg-owner-password', 'pg-password']);
  });

  it('makes a secret file private again if its mode has changed', () => {
    directory.masterKey();
    chmodSync(join(folder, 'master-key'), 0o644);
    directory.masterKey();
    expect(modeOf('master-key')).toBe(0o600);
  });

  it('has a master key of 32 bytes', () => {
    expect(Buffer.from(directory.masterKey(), 'base64')).toHaveLength(32);
  });

  it('refuses a damaged master key instead of creating a new one', () => {
    writeFileSync(join(folder, 'master-key'), 'c2hvcnQ=\n');
    expect(() => directory.masterKey()).toThrow('does not hold the base64 of 32 bytes');
    expect(() => directory.existingMasterKey()).toThrow('does not hold the base64 of 32 bytes');
  });

  it('finds no existing master key if none was created, and then creates none', () => {
    expect(directory.existingMasterKey()).toBeNull();
    expect(existsSync(join(folder, 'master-key'))).toBe(false);
  });

  it('has a file with the latest address of the service, until the service deletes that file', () => {
    directory.writeAddress('http://127.0.0.1:1');
    directory.writeAddress('http://127.0.0.1:41234');
    expect(readFileSync(join(folder, 'address'), 'utf8')).toBe('http://127.0.0.1:41234\n');
    directory.deleteAddress();
    directory.deleteAddress();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('has no first API key any more after that key is deleted', () => {
    directory.getOrCreateFirstKey(() => 'nw_key');
    directory.deleteFirstKey();
    expect(directory.firstKey()).toBeNull();
  });

  it('gives file paths relative to the current folder, or absolute outside of that folder', () => {
    expect(DataDirectory.open('test').firstKeyPath).toBe('test/first-key');
    expect(directory.firstKeyPath).toBe(join(folder, 'first-key'));
  });
});
