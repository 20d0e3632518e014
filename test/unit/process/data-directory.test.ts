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
  it('is made with the folders above, which others may only pass through', () => {
    expect(modeOf('.')).toBe(runsAsRoot() ? 0o711 : 0o700);
  });

  it('does not change the mode of a folder that exists already', () => {
    chmodSync(folder, 0o750);
    DataDirectory.open(folder);
    expect(modeOf('.')).toBe(0o750);
  });

  it('says in one sentence that it cannot be made', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => DataDirectory.open(join(folder, 'file/below'))).toThrow(/^DATA_DIR: cannot make .*ENOTDIR/);
  });

  it('makes each secret once, for its owner alone', () => {
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

  it('makes a secret readable by its owner alone again, after a copy has changed its mode', () => {
    directory.masterKey();
    chmodSync(join(folder, 'master-key'), 0o644);
    directory.masterKey();
    expect(modeOf('master-key')).toBe(0o600);
  });

  it('has a master key of 32 bytes', () => {
    expect(Buffer.from(directory.masterKey(), 'base64')).toHaveLength(32);
  });

  it('uses no damaged master key, and makes no other in its place', () => {
    writeFileSync(join(folder, 'master-key'), 'c2hvcnQ=\n');
    expect(() => directory.masterKey()).toThrow('does not hold the base64 of 32 bytes');
    expect(() => directory.existingMasterKey()).toThrow('does not hold the base64 of 32 bytes');
  });

  it('has no former master key where none was made', () => {
    expect(directory.existingMasterKey()).toBeNull();
    expect(existsSync(join(folder, 'master-key'))).toBe(false);
  });

  it('has the address of the service as long as the service listens', () => {
    directory.writeAddress('http://127.0.0.1:1');
    directory.writeAddress('http://127.0.0.1:41234');
    expect(readFileSync(join(folder, 'address'), 'utf8')).toBe('http://127.0.0.1:41234\n');
    directory.deleteAddress();
    directory.deleteAddress();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('gets no new first key after the operator removed the file', () => {
    directory.getOrCreateFirstKey(() => 'nw_key');
    directory.deleteFirstKey();
    expect(directory.firstKey()).toBeNull();
  });

  it('names its files as they can be typed from the current folder', () => {
    expect(DataDirectory.open('test').firstKeyPath).toBe('test/first-key');
    expect(directory.firstKeyPath).toBe(join(folder, 'first-key'));
  });
});
