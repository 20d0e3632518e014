import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Names = Readonly<Record<string, string>>;
interface Manifest {
  readonly dependencies?: Names;
  readonly devDependencies?: Names;
  readonly peerDependencies?: Names;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}
interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

/**
 * The packages that an example and Namewatch share, `rxjs@7.8.2` each, in the versions of this project's lock: what a
 * registry offers since then is not what a change here is to be judged by, and npm has these in its cache.
 */
export function pinnedPackages(root: string, example: string): string[] {
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as unknown;
  const { packages } = read(join(root, 'package-lock.json')) as Lock;
  const own = read(join(example, 'package.json')) as Manifest;
  const { peerDependencies = {}, peerDependenciesMeta } = read(join(root, 'package.json')) as Manifest;
  const required = Object.entries(peerDependencies).filter(([name]) => !peerDependenciesMeta?.[name]?.optional);
  const names = {
    ...Object.fromEntries(required),
    ...own.dependencies,
    ...own.devDependencies,
    ...own.peerDependencies,
  };
  return Object.keys(names).flatMap((name) => {
    const version = packages[`node_modules/${name}`]?.version;
    return version === undefined ? [] : [`${name}@${version}`];
  });
}
