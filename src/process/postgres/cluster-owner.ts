import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { StartupError } from '../startup-error.js';

/**
 * Notes beside a cluster of the root store which data directory it serves. Copying a checkout copies the link, and
 * two services that believe a cluster theirs would stop each other's PostgreSQL.
 */
export function claimCluster(cluster: string, link: string): void {
  const owner = join(realpathSync(dirname(link)), basename(link));
  const ownerFile = `${cluster}.home`;
  const recordedOwner = readOwner(ownerFile);
  if (recordedOwner !== owner && recordedOwner !== '' && pointsTo(recordedOwner, cluster))
    throw new StartupError(
      `${link} is a copy of ${recordedOwner} and would share its database: remove it to start with an empty one`,
    );
  if (recordedOwner !== owner) writeFileSync(ownerFile, `${owner}\n`, { mode: 0o600 });
}

function pointsTo(link: string, cluster: string): boolean {
  try {
    return realpathSync(link) === cluster;
  } catch {
    return false; // moved away or removed, so the cluster is free
  }
}

function readOwner(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return ''; // not noted yet
  }
}
