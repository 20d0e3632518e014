import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import { runAsProcess, runInProcess } from '../../support/programs/command-line.js';
import { ownEnvironment } from '../../support/programs/own-environment.js';
import { openFolder, removeFolders } from './temporary-folders.js';

jest.setTimeout(180_000); // whole processes start, also on a busy machine

const ROOT = join(import.meta.dirname, '../../..');
/** One data directory for all tests, made by the first. */
const folder = openFolder();
const started: Up[] = [];

/** `namewatch up` as a person starts it. */
class Up {
  readonly lines: string[] = [];
  private readonly output;

  private constructor(private readonly child: ChildProcess) {
    this.output = createInterface({ input: child.stdout ?? process.stdin });
    this.output.on('line', (line) => this.lines.push(line));
    started.push(this);
  }

  static start(settings: Record<string, string> = {}): Up {
    const env = {
      ...ownEnvironment(),
      DATA_DIR: folder,
      PORT: '0',
      LOG_LEVEL: 'silent',
      LOG_FORMAT: 'pretty',
      RDAP_BOOTSTRAP_URL: 'off',
      DNS_SERVERS: 'off',
      ...settings,
    };
    const words = [join(ROOT, 'bin/namewatch.mjs'), 'up'];
    return new Up(spawn(process.execPath, words, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] }));
  }

  /** Waits for a line like this. */
  async says(line: RegExp): Promise<string> {
    for (;;) {
      const said = this.lines.find((candidate) => line.test(candidate));
      if (said !== undefined) return said;
      await Promise.race([
        once(this.output, 'line'),
        once(this.output, 'close').then(() => Promise.reject(new Error(this.lines.join('\n')))),
      ]);
    }
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** The exit code, or the signal that ended it. */
  async after(...signals: NodeJS.Signals[]): Promise<number | string | null> {
    const { exitCode, signalCode } = this.child;
    if (exitCode !== null || signalCode !== null) return exitCode ?? signalCode;
    const exit = once(this.child, 'exit') as Promise<[number | null, string | null]>;
    for (const signal of signals) this.child.kill(signal);
    const [code, signal] = await exit;
    return code ?? signal;
  }
}

const textOf = (name: string) => readFileSync(join(folder, name), 'utf8').trim();
const leftovers = () => ['address', 'pid', 'pg/postmaster.pid'].filter((name) => existsSync(join(folder, name)));

/** The service's answer to the line as a shell reads it, whether this machine has curl or not. */
async function answerTo(line: string): Promise<unknown> {
  const script = `curl() { printf '%s\\n' "$@"; }\n${line}`;
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', script], { cwd: ROOT });
  const [option, header = '', url = ''] = stdout.trim().split('\n');
  expect(option).toBe('-H');
  return (await fetch(url, { headers: [header.split(': ') as [string, string]] })).json();
}

afterEach(() => Promise.all(started.splice(0).map((up) => up.after('SIGKILL'))));
afterAll(removeFolders);

describe('namewatch up', () => {
  /** Each starts a process more, for a signal that comes when it rarely does. */
  const inAllCases = process.env['ALL_CASES'] === '1' ? it : it.skip;
  const onTerminal = process.platform === 'linux' ? it : it.skip;
  onTerminal('prints the first API key on a terminal, and exits with 0 after SIGTERM', async () => {
    const settings = {
      DATA_DIR: folder,
      PORT: '0',
      LOG_LEVEL: 'silent',
      RDAP_BOOTSTRAP_URL: 'off',
      DNS_SERVERS: 'off',
    };
    const command = `${process.execPath} ${join(ROOT, 'bin/namewatch.mjs')} up`;
    const child = spawn('script', ['-qefc', command, '/dev/null'], {
      cwd: ROOT,
      env: { ...ownEnvironment(), ...settings },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exit = once(child, 'exit');
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (line.startsWith('curl ')) process.kill(Number(textOf('pid').split(' ')[0]));
    }
    expect(lines).toContain(`API key:   ${textOf('first-key')} (kept in ${folder}/first-key)`);
    expect(await exit).toEqual([0, null]);
    expect(leftovers()).toEqual([]);
  });

  inAllCases('exits with 0, and leaves no files, if stopped before it is ready', async () => {
    const up = Up.start();
    while (!existsSync(join(folder, 'pid'))) await new Promise(setImmediate);
    expect(await up.after('SIGTERM')).toBe(0);
    expect(up.lines).toEqual([]);
    expect(leftovers()).toEqual([]);
  });

  it('logs its address and the file with the first API key, and refuses a second start', async () => {
    const up = Up.start({ LOG_FORMAT: 'json', LOG_LEVEL: 'info' });
    const address = (await up.says(/^Namewatch ready at /)).replace('Namewatch ready at ', '');
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(textOf('address')).toBe(address);
    const { msg } = JSON.parse(await up.says(/"serving/)) as { msg: string };
    expect(msg).toBe(`serving; Dashboard: ${address}/ui/; API docs: ${address}/docs; API key: in ${folder}/first-key`);
    expect(statSync(join(folder, 'first-key')).mode & 0o777).toBe(0o600);
    expect(up.lines.join('\n')).not.toContain(textOf('first-key'));
    const second = await runAsProcess(['up'], { DATA_DIR: folder });
    expect(second).toEqual({ code: 1, out: '', err: `already running (pid ${up.pid}) at ${address}` });
    expect(await up.after('SIGKILL')).toBe('SIGKILL');
  });

  it('keeps the first API key after kill -9, and exits with 0 if Ctrl-C arrives twice', async () => {
    const key = textOf('first-key');
    const up = Up.start();
    const curl = await up.says(/^curl /);
    expect(await up.says(/^API key:/)).toBe(`API key:   in ${folder}/first-key`);
    expect(textOf('first-key')).toBe(key);
    expect(up.lines.join('\n')).not.toContain(key);
    expect(await answerTo(curl)).toMatchObject({ domain: 'available.test', available: true });
    expect(await up.after('SIGINT', 'SIGINT')).toBe(0);
    expect(leftovers()).toEqual([]);
  });

  it('exits with 2 for unknown arguments', async () => {
    const env = { DATA_DIR: folder };
    for (const words of [['upp'], ['up', '--daemon'], []]) expect((await runInProcess(words, env)).code).toBe(2);
    expect((await runInProcess(['--help'], env)).code).toBe(0);
  });
});
