import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An entry of package-lock.json, with the members that are used here. */
export interface LockedPackage {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** Packages by path, such as `node_modules/pg/node_modules/pg-types`. The path of the project itself is ''. */
export type Lock = Readonly<Record<string, LockedPackage>>;

export function readLock(folder: string): Lock {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as { packages: Lock };
  return packages;
}

/** Looks a package up like Node: beside the importer, then in each folder above. @returns null if missing */
export function resolve(lock: Lock, from: string, name: string): string | null {
  const path = `${from}${from && '/'}node_modules/${name}`;
  if (lock[path]) return path;
  return from === '' ? null : resolve(lock, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name);
}
