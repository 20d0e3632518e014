import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Compiles src to dist, the TypeScript client (which the command line uses) to dist/client, and the dashboard to
 * dist/ui. Uses the compiler and .swcrc of `nest build`, but takes a tenth of the time. As a command it skips a build
 * of the same sources. It needs no lock: nothing is written before everything compiles, each file is replaced
 * atomically, and the same sources always give the same bytes.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'src');
const target = join(root, 'dist');
const folders = [
  { from: source, to: target },
  { from: join(root, 'clients/typescript/src'), to: join(target, 'client') },
].filter(({ from }) => existsSync(from));
const dashboard = join(root, 'ui');
const stamp = join(target, '.built-from');
/** The dates of the sources when they were last read. */
const seen = join(target, '.built-from-dates');
const sources = [...folders.map(({ from }) => from), dashboard].filter((folder) => existsSync(folder));
const settings = ['.swcrc', 'nest-cli.json', 'package.json', 'tsconfig.json'];

/** Whether dist was built from other sources. An image without sources has nothing to compare and is never stale. */
export function isStale() {
  if (!existsSync(source)) return false;
  if (!existsSync(join(target, 'main.js'))) return true;
  const dates = datesOfSources();
  if (textOf(seen) === dates) return false; // nothing was written since
  if (textOf(stamp) !== fingerprint()) return true;
  try {
    replace(seen, dates);
  } catch {
    // dist belongs to another user, so the sources are read each time
  }
  return false;
}

/** Checks dates and sizes, which takes milliseconds. Reading the sources takes a quarter of a second. */
function datesOfSources() {
  const hash = createHash('sha256');
  for (const path of [...settings.map((name) => join(root, name)), ...sources.flatMap(filesOf)]) {
    const { size = 0, mtimeMs = 0, ctimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
    hash.update(`${path}\0${size} ${mtimeMs} ${ctimeMs}\0`);
  }
  return hash.digest('hex');
}

/** Uses the content, since dates change with every clone and copy, and an older file put back is a change too. */
function fingerprint() {
  const hash = createHash('sha256');
  for (const path of [...settings.map((name) => join(root, name)), ...sources.flatMap(filesOf)])
    hash.update(`${relative(root, path)}\0${textOf(path)}\0`);
  return hash.digest('hex');
}

/** @throws the compiler's message if a file does not compile; dist then stays as it was */
export async function build() {
  const builtFrom = fingerprint();
  const jobs = folders.flatMap(({ from, to }) =>
    filesOf(from).map((path) => compiled(path, join(to, relative(from, path)))),
  );
  const outputs = new Map((await Promise.all([...jobs, dashboardFiles()])).flat());
  rmSync(stamp, { force: true });
  for (const [path, content] of outputs) replace(path, content);
  const leftOver = filesOf(target).filter((path) => !outputs.has(path) && !DRAFT.test(path));
  for (const path of leftOver) rmSync(path, { force: true });
  replace(stamp, builtFrom);
}

async function compiled(path, output) {
  if (!path.endsWith('.ts')) return [[output, readFileSync(path)]];
  if (path.endsWith('.d.ts')) return [];
  const { transformFile } = await compiler();
  const script = output.replace(/\.ts$/, '.js');
  const sourceFileName = relative(dirname(script), path);
  const { code, map } = await transformFile(path, { cwd: root, swcrc: true, sourceFileName });
  const link = `\n//# sourceMappingURL=${script.slice(dirname(script).length + 1)}.map`;
  return [
    [script, Buffer.from(code + link)],
    [`${script}.map`, Buffer.from(map)],
  ];
}

/** Builds the dashboard. Its files contain everything that they import, so the service installs nothing for it. */
async function dashboardFiles() {
  if (!existsSync(dashboard)) return [];
  const { build: bundle } = await bundler();
  const { NODE_ENV } = process.env; // Jest sets it to `test`, for which Vite would bundle development code
  process.env.NODE_ENV = 'production';
  try {
    const { output } = await bundle({ configFile: join(dashboard, 'vite.config.mjs'), build: { write: false } });
    return output.map(({ fileName, code, source: text }) => [join(target, 'ui', fileName), Buffer.from(code ?? text)]);
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
}

async function bundler() {
  try {
    return await import('vite');
  } catch (cause) {
    throw new Error('the bundler of the dashboard is not installed: run "npm ci"', { cause });
  }
}

async function compiler() {
  try {
    return await import('@swc/core');
  } catch (cause) {
    throw new Error('the compiler is not installed: run "npm ci", or "npx namewatch up", which needs none', { cause });
  }
}

/** Matches files that a build is writing, perhaps another build beside this one. */
const DRAFT = /\.\d+$/;

function replace(path, content) {
  if (existsSync(path) && readFileSync(path).equals(Buffer.from(content))) return;
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, content);
  renameSync(draft, path);
}

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function textOf(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    if (isStale()) await build();
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
