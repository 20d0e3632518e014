import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An entry of package-lock.json, as far as it is read here. */
export interface LockedPackage {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** Maps paths, such as `node_modules/pg/node_modules/pg-types`, to packages; the project itself is at ''. */
export type Lock = Readonly<Record<string, LockedPackage>>;

export function readLock(folder: string): Lock {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as { packages: Lock };
  return packages;
}

/** Resolves like Node: beside the package, then in each folder above it. @returns null: not in the lock */
export function resolve(lock: Lock, from: string, name: string): string | null {
  const path = `${from}${from && '/'}node_modules/${name}`;
  if (lock[path]) return path;
  return from === '' ? null : resolve(lock, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name);
}
