import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { chownSync, cpSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type Cluster, findCluster, createCluster } from '../../../src/process/postgres/cluster.js';
import { runsAsRoot, ROOT_STORE } from '../../../src/process/postgres/database-user.js';
import { postgresBinaries } from '../../../src/process/postgres/postgres-binaries.js';
import { closedFolder, openFolder, removeFolders } from './temporary-folders.js';

/** Stands for initdb, where only the place matters. */
const fill = ({ path }: Cluster) => Promise.resolve(writeFileSync(join(path, 'PG_VERSION'), '18\n'));
const linkIn = (folder: string) => join(folder, 'pg');

afterEach(removeFolders);

describe('the database folder of the embedded PostgreSQL', () => {
  it('lies in the data directory, and only its user has access', async () => {
    const link = linkIn(openFolder());
    const { path } = await createCluster(link, fill);
    expect(path).toBe(realpathSync(link));
    expect(lstatSync(link).mode & 0o777).toBe(0o700);
    expect(findCluster(link)?.path).toBe(path);
  });

  it('appears under its final name only when it is complete', async () => {
    const link = linkIn(openFolder());
    const failing = createCluster(link, () => Promise.reject(new Error('killed half-way')));
    await expect(failing).rejects.toThrow('killed half-way');
    expect(findCluster(link)).toBeNull();
    await createCluster(link, fill);
    expect(existsSync(join(link, 'PG_VERSION'))).toBe(true);
  });

  it('can be created where an empty folder exists', async () => {
    const link = linkIn(openFolder());
    mkdirSync(link);
    expect(findCluster(link)).toBeNull();
    await createCluster(link, fill);
    expect(findCluster(link)).not.toBeNull();
  });

  it('is reported as gone if its link points to a missing folder', () => {
    const link = linkIn(openFolder());
    symlinkSync(join(dirname(link), 'elsewhere'), link);
    expect(() => findCluster(link)).toThrow('is gone: the database was moved');
  });
});

/** Only root starts PostgreSQL as another user, who cannot access what root can. */
const asRoot = runsAsRoot() ? describe : undefined;

asRoot?.('the database folder that root creates', () => {
  it('lies in /var/lib/namewatch if the database user cannot reach the data directory', async () => {
    const link = linkIn(closedFolder());
    const { path, user } = await createCluster(link, fill);
    expect(dirname(path)).toBe(ROOT_STORE);
    expect(readlinkSync(link)).toBe(path);
    expect(statSync(path)).toMatchObject({ uid: user.uid, gid: user.gid });
    expect(findCluster(link)).toEqual({ path, user });
  });

  it('deletes leftovers of its own killed creation, but not those for other data directories', async () => {
    const drafts: string[] = [];
    const killed = ({ path }: Cluster) => {
      drafts.push(path);
      return Promise.reject(new Error('killed half-way'));
    };
    const [link, other] = [linkIn(closedFolder()), linkIn(closedFolder())];
    for (const each of [link, other]) await expect(createCluster(each, killed)).rejects.toThrow('killed half-way');
    await createCluster(link, fill);
    expect(drafts.map((draft) => existsSync(draft))).toEqual([false, true]);
    await createCluster(other, fill);
    expect(drafts.flatMap((draft) => [draft, `${draft}.draft`]).filter((path) => existsSync(path))).toEqual([]);
  });

  it('gives a clear error if the database user can no longer reach it', async () => {
    const folder = openFolder();
    await createCluster(linkIn(folder), fill);
    chmodSync(folder, 0o700);
    expect(() => findCluster(linkIn(folder))).toThrow(/^the database user \(uid \d+\) cannot pass .*: let it, /);
    chmodSync(folder, 0o711);
    expect(findCluster(linkIn(folder))).not.toBeNull();
  });

  it('stays usable in a closed data directory that belongs to the database user', async () => {
    const folder = openFolder();
    const { path, user } = await createCluster(linkIn(folder), fill);
    chmodSync(folder, 0o700);
    chownSync(folder, user.uid ?? 0, user.gid ?? 0);
    expect(findCluster(linkIn(folder))?.path).toBe(path);
  });

  it('is still found after its data directory was moved', async () => {
    const [folder, elsewhere] = [closedFolder(), closedFolder()];
    const made = await createCluster(linkIn(folder), fill);
    renameSync(linkIn(folder), linkIn(elsewhere));
    expect(findCluster(linkIn(elsewhere))).toEqual(made);
  });

  it('cannot be used from a copy of its data directory', async () => {
    const [folder, copy] = [closedFolder(), closedFolder()];
    await createCluster(linkIn(folder), fill);
    cpSync(linkIn(folder), linkIn(copy), { recursive: true, verbatimSymlinks: true });
    expect(() => findCluster(linkIn(copy))).toThrow('would share its database');
    expect(findCluster(linkIn(folder))).not.toBeNull();
  });

  it('is refused if the link in the data directory points to any other folder', () => {
    const [folder, foreign] = [openFolder(), openFolder()];
    symlinkSync(foreign, linkIn(folder));
    expect(() => findCluster(linkIn(folder))).toThrow(`as root it may only point to a database in ${ROOT_STORE}`);
  });

  it('is used by PostgreSQL programs that everybody can reach and that belong to root', () => {
    for (let path = postgresBinaries().postgres; path !== '/'; path = dirname(path)) {
      expect(statSync(path).uid).toBe(0);
      expect(statSync(path).mode & 0o001).toBe(0o001);
    }
  });
});
