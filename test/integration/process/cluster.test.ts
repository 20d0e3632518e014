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

describe('a cluster', () => {
  it('lies in its data directory, closed to others', async () => {
    const link = linkIn(openFolder());
    const { path } = await createCluster(link, fill);
    expect(path).toBe(realpathSync(link));
    expect(lstatSync(link).mode & 0o777).toBe(0o700);
    expect(findCluster(link)?.path).toBe(path);
  });

  it('appears in its place only when it is complete', async () => {
    const link = linkIn(openFolder());
    const failing = createCluster(link, () => Promise.reject(new Error('killed half-way')));
    await expect(failing).rejects.toThrow('killed half-way');
    expect(findCluster(link)).toBeNull();
    await createCluster(link, fill);
    expect(existsSync(join(link, 'PG_VERSION'))).toBe(true);
  });

  it('takes the place of an empty directory', async () => {
    const link = linkIn(openFolder());
    mkdirSync(link);
    expect(findCluster(link)).toBeNull();
    await createCluster(link, fill);
    expect(findCluster(link)).not.toBeNull();
  });

  it('is not created again when its link points to a missing target', () => {
    const link = linkIn(openFolder());
    symlinkSync(join(dirname(link), 'elsewhere'), link);
    expect(() => findCluster(link)).toThrow('is gone: the database was moved');
  });
});

/** Only root starts PostgreSQL as another user, who cannot access what root can. */
const asRoot = runsAsRoot() ? describe : undefined;

asRoot?.('a cluster of root behind a closed folder', () => {
  it('is in the root store if its user cannot reach the data directory', async () => {
    const link = linkIn(closedFolder());
    const { path, user } = await createCluster(link, fill);
    expect(dirname(path)).toBe(ROOT_STORE);
    expect(readlinkSync(link)).toBe(path);
    expect(statSync(path)).toMatchObject({ uid: user.uid, gid: user.gid });
    expect(findCluster(link)).toEqual({ path, user });
  });

  it('removes drafts of its own killed starts from the root store, and no others', async () => {
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

  it('says in one sentence that a folder above has become inaccessible', async () => {
    const folder = openFolder();
    await createCluster(linkIn(folder), fill);
    chmodSync(folder, 0o700);
    expect(() => findCluster(linkIn(folder))).toThrow(/^the database user \(uid \d+\) cannot pass .*: let it, /);
    chmodSync(folder, 0o711);
    expect(findCluster(linkIn(folder))).not.toBeNull();
  });

  it('stays in its data directory when its user can reach that', async () => {
    const folder = openFolder();
    const { path, user } = await createCluster(linkIn(folder), fill);
    chmodSync(folder, 0o700);
    chownSync(folder, user.uid ?? 0, user.gid ?? 0);
    expect(findCluster(linkIn(folder))?.path).toBe(path);
  });

  it('goes with its data directory when that is moved', async () => {
    const [folder, elsewhere] = [closedFolder(), closedFolder()];
    const made = await createCluster(linkIn(folder), fill);
    renameSync(linkIn(folder), linkIn(elsewhere));
    expect(findCluster(linkIn(elsewhere))).toEqual(made);
  });

  it('cannot be used by a copy of its data directory', async () => {
    const [folder, copy] = [closedFolder(), closedFolder()];
    await createCluster(linkIn(folder), fill);
    cpSync(linkIn(folder), linkIn(copy), { recursive: true, verbatimSymlinks: true });
    expect(() => findCluster(linkIn(copy))).toThrow('would share its database');
    expect(findCluster(linkIn(folder))).not.toBeNull();
  });

  it('is not used when the link to it belongs to another user', () => {
    const [folder, foreign] = [openFolder(), openFolder()];
    symlinkSync(foreign, linkIn(folder));
    expect(() => findCluster(linkIn(folder))).toThrow(`as root it may only point to a database in ${ROOT_STORE}`);
  });

  it('is served by programs that everybody can reach and only root can write', () => {
    for (let path = postgresBinaries().postgres; path !== '/'; path = dirname(path)) {
      expect(statSync(path).uid).toBe(0);
      expect(statSync(path).mode & 0o001).toBe(0o001);
    }
  });
});
