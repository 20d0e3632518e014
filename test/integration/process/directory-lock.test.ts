import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { DataDirectory } from '../../../src/process/data-directory.js';
import { DirectoryLock, readHolder, acquireServiceLock } from '../../../src/process/directory-lock.js';
import { AnotherProcess } from './holders.js';
import { openFolder, removeFolders } from './temporary-folders.js';

const taken: DirectoryLock[] = [];
const never = new AbortController().signal;

async function take(directory: DataDirectory): Promise<DirectoryLock> {
  const lock = await acquireServiceLock(directory, never);
  taken.push(lock);
  return lock;
}

afterEach(async () => {
  for (const lock of taken.splice(0)) lock.release();
  await AnotherProcess.endAll();
  removeFolders();
});

describe('the lock of a data directory', () => {
  it('is refused to a second service, with the process id of the first', async () => {
    const directory = DataDirectory.open(openFolder());
    const first = await AnotherProcess.holding(directory.path, 'service');
    await expect(take(directory)).rejects.toThrow(`already running (pid ${first.pid})`);
  });

  it('is free as soon as the process that holds it is killed', async () => {
    const directory = DataDirectory.open(openFolder());
    const killed = await AnotherProcess.holding(directory.path, 'service');
    await killed.kill();
    await take(directory);
    expect(readHolder(directory)).toEqual({ pid: process.pid, purpose: 'service' });
  });

  it('is free even if another live program now has the process id of the dead service', async () => {
    const directory = DataDirectory.open(openFolder());
    writeFileSync(join(directory.path, 'pid'), `${process.ppid} service\n`);
    writeFileSync(join(directory.path, 'lock'), '');
    await take(directory);
  });

  it('passes to a waiting service when the command that holds it ends', async () => {
    const directory = DataDirectory.open(openFolder());
    const command = await AnotherProcess.holding(directory.path, 'command');
    const waiting = take(directory);
    await command.letGo();
    await waiting;
    expect(readHolder(directory)?.pid).toBe(process.pid);
  });

  it('is not waited for by a service that was told to stop', async () => {
    const directory = DataDirectory.open(openFolder());
    await AnotherProcess.holding(directory.path, 'command');
    await expect(acquireServiceLock(directory, AbortSignal.abort())).rejects.toThrow('aborted');
  });

  it('is free again when its holder releases it', async () => {
    const directory = DataDirectory.open(openFolder());
    (await acquireServiceLock(directory, never)).release();
    expect(readHolder(directory)).toBeNull();
    expect(DirectoryLock.tryAcquire(directory, 'command')?.release()).toBeUndefined();
  });
});
