import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');
const README = '# A project\n\n```sh\nnpm start\n```\n\n```sh\nnpm ci && npm test\n```\n';
const TOOLS = ['prettier', 'eslint', 'oxlint', 'redocly', 'knip'];
const GREEN = 'Tests:       2 skipped, 40 passed, 42 total';

let checkout: string;

/** A checkout with scripted tools. */
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'ci-run-'));
  mkdirSync(join(checkout, '.ci'));
  cpSync(join(ROOT, '.ci/run'), join(checkout, '.ci/run'));
  write('README.md', README);
  for (const tool of [...TOOLS, 'redis-server', 'chromium', 'python3', 'promtool']) program(tool, 'exit 0');
  write('scripts/lock-check.mjs', '');
  npm('exit 0', `echo '${GREEN}' >&2`);
});
afterEach(() => rmSync(checkout, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(checkout, path)), { recursive: true });
  writeFileSync(join(checkout, path), text);
}

function program(name: string, script: string): void {
  const path = `node_modules/.bin/${name}`;
  write(path, `#!/bin/sh\n${script}\n`);
  chmodSync(join(checkout, path), 0o755);
}

/** `npm run -s faults`, and with `others` every other script. */
const npm = (ci: string, test: string, faults = 'exit 0', others = 'exit 0') =>
  program('npm', `case "$1 $3" in ci*) ${ci} ;; run*faults) ${faults} ;; run*) ${others} ;; *) ${test} ;; esac`);

function run(env: NodeJS.ProcessEnv = {}) {
  const { REDIS_URL: _, ...inherited } = process.env;
  const { status, stdout, stderr } = spawnSync('bash', [join(checkout, '.ci/run')], {
    encoding: 'utf8',
    env: { ...inherited, PATH: `${checkout}/node_modules/.bin:${dirname(process.execPath)}:/usr/bin:/bin`, ...env },
  });
  return { status, lastLine: stdout.trimEnd().split('\n').at(-1), output: stdout + stderr };
}

describe('the run of a clean checkout', () => {
  it('passes with the number of tests that passed, alone on its last line', () => {
    expect(run()).toMatchObject({ status: 0, lastLine: '40 passed, 0 failed' });
  });

  it('runs the README’s test command and installs only once', () => {
    write('README.md', README.replace('npm test', 'npm test -- --runInBand'));
    const { output } = run();
    expect(output).toContain('README.md says: npm test -- --runInBand\n');
    expect(output.match(/: npm ci$/gm)).toHaveLength(1);
  });

  it('counts each check that fails, and still runs the tests', () => {
    for (const tool of TOOLS) program(tool, 'exit 3');
    write('scripts/lock-check.mjs', 'process.exit(1)');
    npm('exit 0', `echo '${GREEN}'`, 'exit 0', 'case $3 in typecheck) exit 1 ;; esac');
    expect(run()).toMatchObject({ status: 1, lastLine: `40 passed, ${TOOLS.length + 3} failed` });
  });

  it('reports each check whole and in order, whichever ends first', () => {
    program('prettier', 'echo untidy; sleep 0.3; echo unsafe; exit 1');
    program('knip', 'echo unused >&2; exit 1');
    const { output, ...ended } = run();
    expect(ended).toEqual({ status: 1, lastLine: '40 passed, 2 failed' });
    expect(output).toMatch(/^== format: prettier.*\nuntidy\nunsafe\n== format: FAILED after \d+ s\n\n== types: /m);
    expect(output).toMatch(/^== unused code: knip.*\nunused\n== unused code: FAILED after \d+ s\n\n== api document: /m);
    const ends = ['faults', 'tests', 'extensions', 'format', 'lint'].map((name) =>
      output.search(new RegExp(`^== ${name}: \\w+ after`, 'm')),
    );
    expect(ends).toEqual(ends.toSorted((a, b) => a - b));
  });

  it.each<[what: string, test: string, faults: string, examples: string, counted: string]>([
    ['tests that failed', "echo 'Tests:       3 failed, 37 passed, 40 total'; exit 1", '', '', '37 passed, 3 failed'],
    ['a test run that broke down without counting', `echo '${GREEN}'; exit 1`, '', '', '40 passed, 1 failed'],
    ['a run without tests', 'exit 0', '', '', '0 passed, 1 failed'],
    ['the harness of faults', `echo '${GREEN}'`, "echo '7 passed, 2 failed'; exit 1", '', '47 passed, 2 failed'],
    ['examples of extensions', `echo '${GREEN}'`, '', "echo '9 passed, 0 failed'", '49 passed, 0 failed'],
    ['failing examples', `echo '${GREEN}'`, '', "echo '9 passed, 2 failed'; exit 1", '49 passed, 2 failed'],
  ])('counts %s', (_, test, faults, examples, counted) => {
    npm('exit 0', test, faults || 'exit 0', `case $3 in extensions) ${examples || 'exit 0'} ;; esac`);
    expect(run()).toMatchObject({ status: counted.endsWith(' 0 failed') ? 0 : 1, lastLine: counted });
  });

  it('fails when the README has no test command', () => {
    write('README.md', '# A project\n\nRun `npm test`.\n');
    expect(run()).toMatchObject({ status: 1, lastLine: '0 passed, 1 failed' });
  });

  it('stops when the packages cannot be installed', () => {
    npm('exit 1', `echo '${GREEN}'`);
    expect(run()).toMatchObject({ status: 1, lastLine: '0 passed, 2 failed' });
  });

  it('has the suites that need Redis, Chromium or tools run or fail, never skip', () => {
    npm('exit 0', `echo "required: $REQUIRE_REDIS $REQUIRE_CHROMIUM $REQUIRE_TOOLS"; echo '${GREEN}'`);
    expect(run().output).toContain('required: 1 1 1\n');
  });

  it('needs no Redis on the machine when it is given one', () => {
    rmSync(join(checkout, 'node_modules/.bin/redis-server'));
    expect(run({ REDIS_URL: 'redis://127.0.0.1:6379' })).toMatchObject({ status: 0 });
  });
});
