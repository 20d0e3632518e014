import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Names = Readonly<Record<string, string>>;
export interface Manifest {
  readonly exports?: unknown;
  readonly dependencies?: Names;
  readonly devDependencies?: Names;
  readonly peerDependencies?: Names;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}
interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

/**
 * The packages that the examples and Namewatch share, `rxjs@7.8.2` each, in the versions of this project's lock: what a
 * registry offers since then is not what a change here is to be judged by, and npm has these in its cache.
 */
export function pinnedPackages(root: string, examples: readonly Manifest[]): string[] {
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as unknown;
  const { packages } = read(join(root, 'package-lock.json')) as Lock;
  const { peerDependencies = {}, peerDependenciesMeta } = read(join(root, 'package.json')) as Manifest;
  const required = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta?.[name]?.optional);
  const own = examples.flatMap(({ dependencies, devDependencies, peerDependencies: peers }) =>
    Object.keys({ ...dependencies, ...devDependencies, ...peers }),
  );
  return [...new Set([...required, ...own])].flatMap((name) => {
    const version = packages[`node_modules/${name}`]?.version;
    return version === undefined ? [] : [`${name}@${version}`];
  });
}
