import { globSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Example, type Outcome } from './extensions-check/example.js';
import { packTarball } from './extensions-check/tarball.js';

/**
 * `npm run -s extensions [-- name…]`: packs Namewatch and installs it into each example that extends it, in an empty
 * folder as on another machine: compiles it with the published declarations, runs its tests, and starts the
 * service with it. The last line counts; exits with 1 when anything failed.
 */
const root = join(import.meta.dirname, '..');
const workspace = mkdtempSync(join(realpathSync(tmpdir()), 'namewatch-examples-'));
const AT_ONCE = 2;
let failed = 0;
let passed = 0;

try {
  const tarball = await packTarball(root, workspace);
  console.log(`${basename(tarball.path)}: ${tarball.kilobytes} KB, ${tarball.files.length} files`);
  if (tarball.strays.length > 0) fail(`not to be published: ${tarball.strays.join(', ')}`);
  const [first, ...others] = namesOfExamples().map((name) => new Example(root, workspace, name));
  if (!first) throw new Error('there are no examples');
  report(await first.run(tarball.path, null));
  const installed = join(workspace, first.name);
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = others.shift(); next; next = others.shift()) report(await next.run(tarball.path, installed));
    }),
  );
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
} finally {
  rmSync(workspace, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** Those whose package.json wants namewatch, or the ones asked for. */
function namesOfExamples(): string[] {
  const asked = process.argv.slice(2);
  if (asked.length > 0) return asked;
  const manifests = globSync('examples/*/package.json', { cwd: root }).sort();
  return manifests
    .filter((path) => /"namewatch":/.test(readFileSync(join(root, path), 'utf8')))
    .map((path) => basename(dirname(path)));
}

function report({ name, passed: cases, failures, seconds, lines }: Outcome): void {
  passed += cases;
  const times = Object.entries(seconds).map(([step, took]) => `${step} ${took} s`);
  console.log([name, `${lines} lines`, ...times, `${cases} passed`].join(', '));
  failures.forEach(fail);
}

function fail(message: string): void {
  failed += 1;
  console.error(message);
}
