import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve as toAbsolute } from 'node:path';
import { mustRun } from './extensions-check/commands.js';

export interface Package {
  /** The path of the tarball. */
  readonly path: string;
  readonly kilobytes: number;
  /** The files without those of bundled dependencies. */
  readonly files: readonly string[];
}

/** The allowed files, also of former versions with other template folders, since a test upgrades from their package. */
const PUBLISHED =
  /^(package\.json|README\.md|LICENSE|bin\/[\w.-]+\.mjs|(examples\/)?templates\/[\w./-]+|dist\/.+(?<!\.ts)|dist\/(kit|nest|mikro-orm|testing)\.d\.ts)$/;
const LEFT_OUT = /\.map$|\.built-from/;

/**
 * Packs Namewatch as it is published: with the dependencies in the versions of the lock, which the tests used, but
 * without files for developers. Peer dependencies stay outside, since an extension or a host shares them.
 * @throws Error that names files which do not belong in the package
 */
export async function makePackage(root: string, folder: string): Promise<Package> {
  const path = await packWithDependencies(root, folder);
  const listed = (await mustRun('tar', ['-tzf', path], folder)).trim().split('\n');
  const files = listed
    .map((file) => file.replace(/^package\//, ''))
    .filter((file) => !file.startsWith('node_modules/'));
  const strays = files.filter((file) => !PUBLISHED.test(file) || LEFT_OUT.test(file));
  if (strays.length > 0) throw new Error(`not to be published: ${strays.join(', ')}`);
  return { path, kilobytes: Math.round(statSync(path).size / 1024), files };
}

async function packWithDependencies(root: string, folder: string): Promise<string> {
  const workspace = mkdtempSync(join(tmpdir(), 'namewatch-package-'));
  try {
    const ownFiles = await npmPack(root, workspace);
    await mustRun('tar', ['-xzf', ownFiles], workspace);
    const staged = join(workspace, 'package');
    const bundled = writeManifest(join(staged, 'package.json'));
    const lock = readLock(root);
    for (const path of withTheirDependencies(lock, bundled)) copyPackage(join(root, path), join(staged, path));
    return await npmPack(staged, folder);
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

async function npmPack(from: string, to: string): Promise<string> {
  const output = await mustRun('npm', ['pack', '--pack-destination', to], from);
  const [name] = /^[\w.-]+\.tgz$/m.exec(output) ?? []; // npm prints notices too, in any order
  if (name === undefined) throw new Error(`npm pack named no package: ${output}`);
  return join(to, name);
}

/** @returns the names of the bundled dependencies */
function writeManifest(file: string): string[] {
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  for (const ofTheCheckout of ['scripts', 'devDependencies', 'overrides', 'allowScripts'])
    delete manifest[ofTheCheckout];
  const bundled = Object.keys(manifest['dependencies'] as object);
  const repository = process.env['REPOSITORY_URL'] && { type: 'git', url: process.env['REPOSITORY_URL'] };
  const published = { ...manifest, ...(repository && { repository }), bundleDependencies: bundled };
  writeFileSync(file, `${JSON.stringify(published, null, 2)}\n`);
  return bundled;
}

/** An entry of package-lock.json, with the members that are used here. */
interface LockedPackage {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Packages by path, such as `node_modules/pg/node_modules/pg-types`. The path of the project itself is ''. */
type Lock = Readonly<Record<string, LockedPackage>>;

export function readLock(folder: string): Lock {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as { packages: Lock };
  return packages;
}

/** Returns the paths of these packages and of all their dependencies, except optional ones. */
function withTheirDependencies(lock: Lock, names: readonly string[]): Set<string> {
  const paths = new Set<string>();
  const add = (name: string, from: string) => {
    const path = resolve(lock, from, name);
    if (path === null || paths.has(path)) return;
    paths.add(path);
    for (const dependency of Object.keys(lock[path]?.dependencies ?? {})) add(dependency, path);
  };
  for (const name of names) add(name, '');
  return paths;
}

/** Looks a package up like Node: beside the importer, then in each folder above. @returns null if missing */
function resolve(lock: Lock, from: string, name: string): string | null {
  const path = `${from}${from && '/'}node_modules/${name}`;
  if (lock[path]) return path;
  return from === '' ? null : resolve(lock, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name);
}

/** Keeps licences, and the types with which extensions are compiled. */
const FOR_DEVELOPERS = /\.map$|(?<!\.d)\.[cm]?ts$|\.d\.[cm]ts$|^(?!licen[cs]e|notice|copying).*\.md$/i;
const FOLDERS_FOR_DEVELOPERS = new Set([
  'test',
  'tests',
  '__tests__',
  'docs',
  'example',
  'examples',
  'benchmark',
  'benchmarks',
]);

function copyPackage(from: string, to: string): void {
  cpSync(from, to, {
    recursive: true,
    filter: (source) => {
      const name = basename(source);
      if (source === from) return true;
      return name !== 'node_modules' && !FOLDERS_FOR_DEVELOPERS.has(name) && !FOR_DEVELOPERS.test(name);
    },
  });
}

if (process.argv[1] === import.meta.filename) {
  const folder = toAbsolute(process.argv[2] ?? '.');
  mkdirSync(folder, { recursive: true });
  const { path, kilobytes, files } = await makePackage(join(import.meta.dirname, '../..'), folder);
  console.log(`${path}: ${kilobytes} KB, ${files.length} files of its own`);
}
