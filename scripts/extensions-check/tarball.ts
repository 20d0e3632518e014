import { statSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun } from './commands.js';

export interface Tarball {
  readonly path: string;
  readonly kilobytes: number;
  readonly files: readonly string[];
  /** What has no place in a published package. */
  readonly strays: readonly string[];
}

const PUBLISHED =
  /^(package\.json|README\.md|LICENSE|bin\/[\w.-]+\.mjs|templates\/[\w./-]+|dist\/.+(?<!\.ts)|dist\/(kit|nest|mikro-orm|testing)\.d\.ts)$/;
const LEFT_OUT = /\.map$|\.built-from$/;

/** Packs the project as it would be published, into `folder`. */
export async function packTarball(root: string, folder: string): Promise<Tarball> {
  const output = await mustRun('npm', ['pack', '--pack-destination', folder], root);
  const path = join(folder, output.trim().split('\n').at(-1) ?? '');
  const listed = (await mustRun('tar', ['-tzf', path], folder)).trim().split('\n');
  const files = listed.map((file) => file.replace(/^package\//, ''));
  const strays = files.filter((file) => !PUBLISHED.test(file) || LEFT_OUT.test(file));
  return { path, kilobytes: Math.round(statSync(path).size / 1024), files, strays };
}
