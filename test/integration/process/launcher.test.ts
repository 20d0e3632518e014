import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { openFolder, removeFolders } from './temporary-folders.js';

jest.setTimeout(60_000); // whole processes start, also on a busy machine

const ROOT = join(import.meta.dirname, '../../..');

/** A checkout with the project's launcher and compiler, and sources of its own. */
function aCheckout(sources: Record<string, string>): string {
  const checkout = openFolder();
  chmodSync(checkout, 0o755);
  for (const part of ['bin', '.swcrc', 'package.json'])
    cpSync(join(ROOT, part), join(checkout, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
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
      ...{ cwd, env: { ...process.env, ...settings } },
    });
    return { code: 0, stdout, stderr };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

afterEach(removeFolders);

describe('the launcher', () => {
  it('builds at the first call and passes its words on', async () => {
    const checkout = aCheckout({ 'main.ts': says('built') });
    expect(await namewatch(checkout, 'up', '--now')).toEqual({ code: 0, stdout: 'built up --now\n', stderr: '' });
  });

  it('gives a worker flags that limit its memory, unless they are given', async () => {
    const checkout = aCheckout({
      'main.ts':
        'console.log(process.pid, ...process.execArgv, ...process.argv.slice(2), process.env.MALLOC_ARENA_MAX);',
    });
    const worker = (flags: string[], word: string) =>
      run(checkout, [...flags, join(checkout, 'bin/namewatch.mjs'), word], { ROLE: 'worker' });
    const { stdout } = await worker([], 'up');
    expect(stdout).toMatch(/^\d+ --max-semi-space-size=16 --heap-growing-percent=20 up 2\n$/);
    const own = ['--heap-growing-percent=50', '--max-semi-space-size=32'];
    expect((await worker(own, 'up')).stdout).toContain(` ${own.join(' ')} up undefined\n`);
    expect((await worker([], 'check')).stdout).toMatch(/^\d+ check undefined\n$/);
  });

  it('leaves a build of the same sources alone, whatever their dates', async () => {
    const checkout = aCheckout({ 'main.ts': says('built') });
    await namewatch(checkout);
    const built = statSync(join(checkout, 'dist/.built-from')).ino;
    utimesSync(join(checkout, 'src/main.ts'), 1, 2_000_000_000);
    await namewatch(checkout);
    expect(statSync(join(checkout, 'dist/.built-from')).ino).toBe(built);
  });

  it('builds again when a source has changed, even to an older date', async () => {
    const checkout = aCheckout({ 'main.ts': says('old') });
    await namewatch(checkout);
    write(checkout, 'main.ts', says('new'));
    utimesSync(join(checkout, 'src/main.ts'), 1, 1);
    expect((await namewatch(checkout)).stdout).toBe('new\n');
  });

  it('takes out what was deleted', async () => {
    const checkout = aCheckout({ 'main.ts': says('built'), 'gone.ts': says('gone') });
    await namewatch(checkout);
    rmSync(join(checkout, 'src/gone.ts'));
    await namewatch(checkout);
    expect(existsSync(join(checkout, 'dist/gone.js'))).toBe(false);
  });

  it('shows what does not compile and keeps the build there is', async () => {
    const checkout = aCheckout({ 'main.ts': says('built') });
    await namewatch(checkout);
    write(checkout, 'main.ts', 'const = 1;\n');
    const { code, stderr } = await namewatch(checkout);
    expect(code).toBe(1);
    expect(stderr).toContain('main.ts:1:1');
    expect(stderr).toContain('Namewatch could not be built from src, see above.');
    expect(existsSync(join(checkout, 'dist/main.js'))).toBe(true);
  });

  it('may be called twice at once', async () => {
    const checkout = aCheckout({ 'main.ts': says('built'), 'other.ts': says('other') });
    const calls = await Promise.all([1, 2, 3].map(() => namewatch(checkout)));
    expect(calls.map(({ stdout }) => stdout)).toEqual(['built\n', 'built\n', 'built\n']);
  });

  it('takes a build without sources as it is, as in an image', async () => {
    const checkout = aCheckout({ 'main.ts': says('built') });
    await namewatch(checkout);
    for (const part of ['src', '.swcrc', 'node_modules']) rmSync(join(checkout, part), { recursive: true });
    expect((await namewatch(checkout)).stdout).toBe('built\n');
  });

  // A Node of 22.15 or newer can replace itself; older ones are in older-node.test.ts.
  it('replaces itself with the Node that npm ci installed when its own is too old', async () => {
    const checkout = aCheckout({ 'main.ts': 'console.log(process.argv.length, process.pid, process.execPath);\n' });
    const { code, stdout } = await run(checkout, ['--import', OLDER_AT_FIRST, join(checkout, 'bin/namewatch.mjs')]);
    const [words, pid, program] = stdout.trim().split(' ');
    expect({ code, words, program }).toEqual({ code: 0, words: '2', program: BUNDLED });
    expect(Number(pid)).toBeGreaterThan(0);
  });

  it.each(['bin/namewatch.mjs', 'src/main.ts'])('says once that Node is too old, and stops: %s', async (program) => {
    const { code, stdout, stderr } = await run(ROOT, ['--import', OLDER, join(ROOT, program), 'up']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringContaining(`Node 24.15 or newer is needed, this is ${process.version}: `),
    ]);
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
