import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Names = Readonly<Record<string, string>>;
export interface Manifest {
  readonly exports?: unknown;
  readonly dependencies?: Names;
  readonly devDependencies?: Names;
  readonly peerDependencies?: Names;
}
interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

/**
 * Returns the packages that extensions name, with the versions in this project's locks. A newer version in a registry
 * must not decide about a change here, and npm has these versions in its cache.
 */
export function pinnedPackages(root: string, extensions: readonly Manifest[]): Record<string, string> {
  const locked = (lock: string) => (JSON.parse(readFileSync(join(root, lock), 'utf8')) as Lock).packages;
  const packages = { ...locked('tools/package-lock.json'), ...locked('package-lock.json') };
  const named = extensions.flatMap(({ dependencies, devDependencies, peerDependencies }) =>
    Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies }),
  );
  const versions = named.map((name) => [name, packages[`node_modules/${name}`]?.version] as const);
  return Object.fromEntries(versions.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
}
