import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { readConfig } from '../../../src/config/config.js';
import { DataDirectory } from '../../../src/process/data-directory.js';
import { openDatabase } from '../../../src/process/open-database.js';
import { AnotherProcess } from './holders.js';
import { openFolder, removeFolders } from './temporary-folders.js';

jest.setTimeout(60_000); // whole processes start, also on a busy machine

/** One cluster for all tests, made by the first. */
const folder = openFolder();
const settings = { DATA_DIR: folder };

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client(url);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

afterEach(() => AnotherProcess.endAll());
afterAll(removeFolders);

describe('the database of an administration command', () => {
  it('is started for the command and stopped after it', async () => {
    const { url, config, close } = await openDatabase(readConfig(settings));
    expect(config).toMatchObject({ databaseUrl: url, masterKeys: [DataDirectory.open(folder).masterKey()] });
    expect(await answers(url)).toBe(true);
    await close();
    expect(await answers(url)).toBe(false);
    expect(existsSync(join(folder, 'pid'))).toBe(false);
  });

  it('is that of the running service, which keeps it', async () => {
    const service = await AnotherProcess.holding(folder, 'service', 'database');
    const { url, close } = await openDatabase(readConfig(settings));
    expect(url).toBe(service.databaseUrl);
    await close();
    expect(await answers(url)).toBe(true);
  });

  it('comes after that of another command', async () => {
    const command = await AnotherProcess.holding(folder, 'command', 'database');
    const waiting = openDatabase(readConfig(settings));
    await command.letGo();
    const { url, close } = await waiting;
    expect(await answers(url)).toBe(true);
    await close();
  });

  it('is that of DATABASE_URL, with nothing started and nothing written', async () => {
    const DATA_DIR = join(folder, 'unused');
    const DATABASE_URL = 'postgres://user@db.example/namewatch';
    const config = readConfig({ DATA_DIR, DATABASE_URL, MASTER_KEY: Buffer.alloc(32).toString('base64') });
    const { url } = await openDatabase(config);
    expect(url).toBe(DATABASE_URL);
    expect(existsSync(DATA_DIR)).toBe(false);
  });

  it('keeps what an earlier master key encrypted readable', async () => {
    const MASTER_KEY = Buffer.alloc(32, 1).toString('base64');
    const { config, close } = await openDatabase(readConfig({ ...settings, MASTER_KEY }));
    await close();
    expect(config.masterKeys).toEqual([MASTER_KEY, DataDirectory.open(folder).masterKey()]);
  });
});
