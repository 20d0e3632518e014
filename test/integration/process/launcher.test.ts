import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { ownEnvironment } from '../../support/programs/own-environment.js';
import { openFolder, removeFolders } from './temporary-folders.js';

jest.setTimeout(180_000); // whole processes start, also on a busy machine

const ROOT = join(import.meta.dirname, '../../..');

/** A checkout with the project's launcher and compiler, and sources of its own; with the packages of `npm ci` or without. */
function aCheckout(sources: Record<string, string>, { packages = true } = {}): string {
  const checkout = openFolder();
  chmodSync(checkout, 0o755);
  for (const part of ['bin', '.swcrc', 'package.json'])
    cpSync(join(ROOT, part), join(checkout, part), { recursive: true });
  if (packages) symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  for (const [name, text] of Object.entries(sources)) write(checkout, name, text);
  return checkout;
}

function write(checkout: string, name: string, text: string): void {
  mkdirSync(join(checkout, 'src'), { recursive: true });
  writeFileSync(join(checkout, 'src', name), text);
}

const says = (words: string) => `const words: string = '${words}';\nconsole.log(words, ...process.argv.slice(2));\n`;

async function namewatch(checkout: string, ...words: string[]) {
  return run(checkout, [join(checkout, 'bin/namewatch.mjs'), ...words]);
}

async function run(
  cwd: string,
  args: string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
      cwd,
      env: { ...process.env, ...settings },
    });
    return { code: 0, stdout, stderr };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

afterAll(removeFolders);

describe('the launcher bin/namewatch.mjs', () => {
  it('builds the program at the first call, and passes its arguments on to the program', async () => {
    const checkout = aCheckout({ 'main.ts': says('built') });
    expect(await namewatch(checkout, 'up', '--now')).toEqual({ code: 0, stdout: 'built up --now\n', stderr: '' });
  });

  it('builds correctly when three calls run at once', async () => {
    const checkout = aCheckout({ 'main.ts': says('built'), 'other.ts': says('other') });
    const calls = await Promise.all([1, 2, 3].map(() => namewatch(checkout)));
    expect(calls.map(({ stdout }) => stdout)).toEqual(['built\n', 'built\n', 'built\n']);
  });

  it('builds the same dashboard whatever NODE_ENV is set to', async () => {
    const checkout = aCheckout({ 'main.ts': says('built') });
    for (const part of ['ui', 'clients']) cpSync(join(ROOT, part), join(checkout, part), { recursive: true });
    const buildFor = async (mode: string) => {
      await run(checkout, [join(checkout, 'bin/build.mjs')], { NODE_ENV: mode });
      const scripts = readdirSync(join(checkout, 'dist/ui/assets')); // a name has the digest of the content
      rmSync(join(checkout, 'dist'), { recursive: true });
      return scripts;
    };
    const inTests = await buildFor('test');
    expect(inTests).toEqual(await buildFor('production'));
    expect(inTests).toEqual(await buildFor('development'));
  });

  // A Node of 22.15 or newer can replace itself; older ones are below.
  it('replaces itself with the Node that npm ci installed if its own is too old', async () => {
    const checkout = aCheckout({ 'main.ts': 'console.log(process.argv.length, process.pid, process.execPath);\n' });
    const { code, stdout } = await run(checkout, ['--import', OLDER_AT_FIRST, join(checkout, 'bin/namewatch.mjs')]);
    const [words, pid, program] = stdout.trim().split(' ');
    expect({ code, words, program }).toEqual({ code: 0, words: '2', program: BUNDLED });
    expect(Number(pid)).toBeGreaterThan(0);
  });

  it.each(['bin/namewatch.mjs', 'src/main.ts'])(
    'prints one error that Node is too old, and exits, when started as %s',
    async (program) => {
      const { code, stdout, stderr } = await run(ROOT, ['--import', OLDER, join(ROOT, program), 'up']);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr.trim().split('\n')).toEqual([
        expect.stringContaining(`Node 24.15 or newer is needed, this is ${process.version}: `),
      ]);
    },
  );
});

describe('the launcher of an already built checkout', () => {
  const checkout = aCheckout({ 'main.ts': says('built'), 'gone.ts': says('gone') });
  beforeAll(() => namewatch(checkout));

  it('does not rebuild unchanged sources, whatever their file dates', async () => {
    const built = statSync(join(checkout, 'dist/.built-from')).ino;
    utimesSync(join(checkout, 'src/main.ts'), 1, 2_000_000_000);
    await namewatch(checkout);
    expect(statSync(join(checkout, 'dist/.built-from')).ino).toBe(built);
  });

  it('rebuilds changed sources, even with older file dates, and deletes the output of deleted ones', async () => {
    write(checkout, 'main.ts', says('new'));
    utimesSync(join(checkout, 'src/main.ts'), 1, 1);
    rmSync(join(checkout, 'src/gone.ts'));
    expect((await namewatch(checkout)).stdout).toBe('new\n');
    expect(existsSync(join(checkout, 'dist/gone.js'))).toBe(false);
  });

  it('shows compile errors, and keeps the existing build', async () => {
    write(checkout, 'main.ts', 'const = 1;\n');
    const { code, stderr } = await namewatch(checkout);
    expect(code).toBe(1);
    expect(stderr).toContain('main.ts:1:1');
    expect(stderr).toContain('Namewatch could not be built from src, see above.');
    expect(existsSync(join(checkout, 'dist/main.js'))).toBe(true);
  });

  it('uses an existing build if there are no sources, as in a container image', async () => {
    write(checkout, 'main.ts', says('built'));
    await namewatch(checkout);
    for (const part of ['src', '.swcrc', 'node_modules']) rmSync(join(checkout, part), { recursive: true });
    expect((await namewatch(checkout)).stdout).toBe('built\n');
  });
});

/** Makes a process believe that its Node is too old: every process, or the first one. */
const pretendOlder = (when: string) => {
  const versions = "{ ...process.versions, node: '24.14.1' }";
  return `data:text/javascript,if(${when})Object.defineProperty(process,'versions',{value:${versions}})`;
};
const OLDER = pretendOlder('true');
const OLDER_AT_FIRST = pretendOlder('!process.env.NAMEWATCH_LAUNCHER_PID');
const BUNDLED = realpathSync(join(ROOT, 'node_modules', `node-${process.platform}-${process.arch}/bin/node`));

const program = olderNode();
const started: ChildProcess[] = [];

/** The command of README.md for supervisors, on the machine's own Node. */
function start(cwd: string, words: readonly string[]): ChildProcess {
  const options = { cwd, env: ownEnvironment(), stdio: 'pipe' } as const;
  const child = spawn(program ?? '', [join(cwd, 'bin/namewatch.mjs'), ...words], options);
  started.push(child);
  return child;
}

async function ended(child: ChildProcess) {
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { end: code ?? signal, stdout, stderr };
}

/** Says its process id and runs until SIGTERM, as the service does; if nobody ends it, it ends by itself. */
const SERVES = `
  process.on('SIGTERM', () => process.exit(0));
  setTimeout(() => process.exit(1), 60_000);
  console.log(process.pid, process.execPath);`;

async function startServing() {
  const launcher = start(aCheckout({ 'main.ts': SERVES }), ['up']);
  launcher.stderr?.pipe(process.stderr);
  const [line] = (await once(createInterface({ input: launcher.stdout ?? process.stdin }), 'line')) as [string];
  const [pid, path] = line.split(' ');
  return { launcher, pid: Number(pid), path };
}

const isAlive = (pid: number) => existsSync(`/proc/${pid}`);

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

if (!program) console.warn('skipped: this machine has no Node older than 22.15 to start the launcher with');

(program ? describe : describe.skip)('the launcher on a Node that is too old', () => {
  it('runs the program on the Node that npm ci installed, and forwards SIGTERM to it', async () => {
    const { launcher, pid, path } = await startServing();
    expect(path).toBe(BUNDLED);
    expect(pid).not.toBe(launcher.pid);
    const exit = once(launcher, 'exit');
    launcher.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });

  it('ends the program too when the launcher is killed', async () => {
    const { launcher, pid } = await startServing();
    launcher.kill('SIGKILL');
    await eventually(
      () => Promise.resolve(isAlive(pid)),
      (alive) => !alive,
    );
  });

  it('passes on arguments, input, output and the exit code', async () => {
    const checkout = aCheckout({
      'main.ts': `
      process.stdin.on('data', (text) => console.log(...process.argv.slice(2), String(text).trim()));
      process.stdin.on('end', () => { console.error('done'); process.exitCode = 69; });`,
    });
    const child = start(checkout, ['check', 'a b']);
    child.stdin?.end('from stdin');
    expect(await ended(child)).toEqual({ end: 69, stdout: 'check a b from stdin\n', stderr: 'done\n' });
  });

  it('ends with the same signal as the program', async () => {
    expect(await ended(start(aCheckout({ 'main.ts': `process.kill(process.pid, 'SIGABRT');` }), []))).toMatchObject({
      end: 'SIGABRT',
    });
  });

  it('fails with a one-line instruction if no newer Node is installed', async () => {
    const version = /^v\d+\.\d+\.\d+$/;
    const { end, stdout, stderr } = await ended(start(aCheckout({ 'main.ts': '' }, { packages: false }), ['up']));
    expect({ end, stdout }).toEqual({ end: 1, stdout: '' });
    const [, found = ''] = /^Node 24\.15 or newer is needed, this is (\S+): run "npm ci"/.exec(stderr) ?? [];
    expect(found).toMatch(version);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

/** The machine's own Node, where it is too old for the service; else null. */
function olderNode(): string | null {
  const folders = new Set([...(process.env.PATH ?? '').split(':'), '/usr/local/bin', '/usr/bin']);
  return [...folders].map((folder) => join(folder, 'node')).find(isTooOld) ?? null;
}

function isTooOld(program: string): boolean {
  try {
    const version = execFileSync(program, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const [major = 0, minor = 0] = version.trim().slice(1).split('.').map(Number);
    return major < 22 || (major === 22 && minor < 15);
  } catch {
    return false; // there is none
  }
}
