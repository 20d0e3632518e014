import { join, relative } from 'node:path';
import { build, type Rolldown } from 'vite';
import type { Lock } from './locked-packages.js';

/** Paths of the packages whose code is in the dashboard's files: asked of the bundler, so that none can be forgotten. */
export async function bundledPaths(folder: string, lock: Lock): Promise<string[]> {
  const configFile = join(folder, 'ui/vite.config.mjs');
  const { output } = (await build({ configFile, build: { write: false } })) as Rolldown.RolldownOutput;
  const modules = output.flatMap((file) => ('moduleIds' in file ? file.moduleIds : []));
  const packages = modules.flatMap((file) => packageOf(lock, relative(folder, file)) ?? []);
  return [...new Set(packages)].toSorted();
}

function packageOf(lock: Lock, file: string): string | null {
  const folders = file.split('/');
  const path = folders.map((_, i) => folders.slice(0, -i).join('/')).find((above) => above !== '' && lock[above]);
  return path ?? null;
}
