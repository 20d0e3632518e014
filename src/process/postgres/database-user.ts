import { execFileSync } from 'node:child_process';

/** The user of a PostgreSQL process; empty: that of this process. */
export interface DatabaseUser {
  readonly uid?: number;
  readonly gid?: number;
}

const UNPRIVILEGED_ID = 65_534;

export function runsAsRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * PostgreSQL refuses to run as root. Then it runs as the machine's `postgres` where there is one, else as `nobody`:
 * no account is made for it.
 */
export function databaseUser(): DatabaseUser {
  if (!runsAsRoot()) return {};
  return findAccount('postgres') ?? findAccount('nobody') ?? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID };
}

function findAccount(name: string): DatabaseUser | null {
  const id = (what: string) => Number(execFileSync('id', [what, name], { encoding: 'utf8', stdio: 'pipe' }));
  try {
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return null; // `id` fails: there is no such account
  }
}
