import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CannotStart } from '../startup-error.js';

/**
 * Notes beside a cluster of the root store which data directory it serves. Copying a checkout copies the link, and
 * two services that believe a cluster theirs would stop each other's PostgreSQL.
 */
export function claimForHome(cluster: string, link: string): void {
  const home = join(realpathSync(dirname(link)), basename(link));
  const note = `${cluster}.home`;
  const noted = textOf(note);
  if (noted !== home && noted !== '' && serves(noted, cluster))
    throw new CannotStart(`${link} is a copy of ${noted} and would share its database: remove it to begin anew`);
  if (noted !== home) writeFileSync(note, `${home}\n`, { mode: 0o600 });
}

function serves(link: string, cluster: string): boolean {
  try {
    return realpathSync(link) === cluster;
  } catch {
    return false; // moved away or removed, so the cluster is free
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return ''; // not noted yet
  }
}
