import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { boot } from './extensions-check/boot.js';
import { mustRun } from './extensions-check/commands.js';
import { Examples, type Extension } from './extensions-check/examples.js';

/**
 * `npm run -s script -- extensions-check [name…]`: packs Namewatch, installs it in an empty folder as on another
 * machine, and starts it. Then installs the example extensions and the output of `namewatch extension new` for each
 * port. Compiles them with the published declarations, runs their tests, and starts a service with all of them. npm
 * gets no options, like that of a user. The last line counts the cases; exits with 1 if any failed.
 */
const root = join(import.meta.dirname, '../..');
const workspace = mkdtempSync(join(realpathSync(tmpdir()), 'namewatch-examples-'));
let failed = 0;
let passed = 0;

try {
  const made = await mustRun('npm', ['run', '-s', 'package', '--', workspace], root);
  const [line = '', tarball = ''] = /^(\S+\.tgz): .*$/m.exec(made) ?? [];
  console.log(basename(line));
  const examples = new Examples(root, workspace, process.argv.slice(2));
  await step('plain install', () => installAlone(tarball));
  await step('plain start', () => start([]));
  await step('scaffolds', () => examples.scaffold(tarball));
  await step('install', () => examples.install(tarball));
  await step('compile', () => examples.compile());
  await step('test', () => examples.test());
  await step('start', () => start(examples.extensions));
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
} finally {
  rmSync(workspace, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** @param work returns how many cases passed; an error ends the check, since the next step needs this step */
async function step(name: string, work: () => Promise<number>): Promise<void> {
  const began = performance.now();
  const cases = await work();
  passed += cases;
  console.log(`${name}: ${Math.round((performance.now() - began) / 100) / 10} s, ${cases} passed`);
}

async function installAlone(tarball: string): Promise<number> {
  await mustRun('npm', ['install', tarball], workspace);
  return 1;
}

async function start(extensions: readonly Extension[]): Promise<number> {
  const problem = await boot(workspace, extensions);
  if (problem !== null) throw new Error(problem);
  return Math.max(1, extensions.length);
}

function fail(message: string): void {
  failed += 1;
  console.error(message);
}
