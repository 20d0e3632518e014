import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { olderNode } from '../../support/programs/older-node.js';
import { ownEnvironment } from '../../support/programs/own-environment.js';
import { openFolder, removeFolders } from './temporary-folders.js';

jest.setTimeout(90_000); // whole processes start, also on a busy machine

const ROOT = join(import.meta.dirname, '../../..');
const program = olderNode();
const started: ChildProcess[] = [];

/** A checkout whose program is this script, with the packages of `npm ci` or without. */
function aCheckout(script: string, { packages = true } = {}): string {
  const checkout = openFolder();
  chmodSync(checkout, 0o755);
  for (const part of ['bin', '.swcrc', 'package.json'])
    cpSync(join(ROOT, part), join(checkout, part), { recursive: true });
  if (packages) symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  mkdirSync(join(checkout, 'src'));
  writeFileSync(join(checkout, 'src/main.ts'), script);
  return checkout;
}

/** What README.md gives to supervisors, on the machine's own Node. */
function start(cwd: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const options = { cwd, env: { ...ownEnvironment(), ...env }, stdio: ['pipe', 'pipe', 'pipe'] as const };
  const child = spawn(program ?? '', [join(cwd, 'bin/namewatch.mjs'), ...words], { ...options, stdio: 'pipe' });
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

async function ready(dataDir: string): Promise<ChildProcess> {
  const settings = { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent', RDAP_BOOTSTRAP_URL: 'off', DNS_SERVERS: 'off' };
  const child = start(ROOT, ['up'], settings);
  child.stderr?.pipe(process.stderr);
  for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
    if (!line.startsWith('Namewatch ready at ')) continue;
    child.stdout?.resume();
    return child;
  }
  throw new Error('it ended before it was ready');
}

const isAlive = (pid: number) => existsSync(`/proc/${pid}`);
const leftovers = (folder: string) => ['address', 'pid'].filter((name) => existsSync(join(folder, name)));

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});
afterAll(removeFolders);

if (!program) console.warn('skipped: this machine has no Node older than 22.15 to start the launcher with');

(program ? describe : describe.skip)('the launcher on a Node that is too old', () => {
  const folder = openFolder();

  it('runs the service on the Node that npm ci installed, which ends with 0 after SIGTERM', async () => {
    const child = await ready(folder);
    expect((await fetch(`${readFileSync(join(folder, 'address'), 'utf8').trim()}/livez`)).status).toBe(200);
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    expect(leftovers(folder)).toEqual([]);
  });

  it('takes the service with it when it is killed', async () => {
    const child = await ready(folder);
    const service = Number(readFileSync(join(folder, 'pid'), 'utf8').split(' ')[0]);
    expect(service).not.toBe(child.pid);
    child.kill('SIGKILL');
    await eventually(
      () => Promise.resolve(isAlive(service)),
      (alive) => !alive,
    );
    expect(leftovers(folder)).toEqual([]);
  });

  it('passes on words, input, output and the exit code', async () => {
    const checkout = aCheckout(`
      process.stdin.on('data', (text) => console.log(...process.argv.slice(2), String(text).trim()));
      process.stdin.on('end', () => { console.error('done'); process.exitCode = 69; });`);
    const child = start(checkout, ['check', 'a b']);
    child.stdin?.end('from stdin');
    expect(await ended(child)).toEqual({ end: 69, stdout: 'check a b from stdin\n', stderr: 'done\n' });
  });

  it('ends by the signal that ended the program', async () => {
    expect(await ended(start(aCheckout(`process.kill(process.pid, 'SIGABRT');`), []))).toMatchObject({
      end: 'SIGABRT',
    });
  });

  it('says in one sentence what to do when there is no other Node', async () => {
    const version = /^v\d+\.\d+\.\d+$/;
    const { end, stdout, stderr } = await ended(start(aCheckout('', { packages: false }), ['up']));
    expect({ end, stdout }).toEqual({ end: 1, stdout: '' });
    const [, found = ''] = /^Node 24\.15 or newer is needed, this is (\S+): run "npm ci"/.exec(stderr) ?? [];
    expect(found).toMatch(version);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
