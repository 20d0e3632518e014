import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import { runInProcess } from '../../support/programs/command-line.js';
import { ownEnvironment } from '../../support/programs/own-environment.js';
import { openFolder, removeFolders } from './temporary-folders.js';

jest.setTimeout(60_000); // whole processes start, also on a busy machine

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

  static async ready(): Promise<Up> {
    const up = Up.start();
    await up.says(/^curl /);
    return up;
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

async function namewatch(settings: Record<string, string>, ...words: string[]) {
  const options = { cwd: ROOT, env: { ...ownEnvironment(), DATA_DIR: folder, ...settings } };
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['bin/namewatch.mjs', ...words], options);
    return { code: 0, stdout, stderr };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

const textOf = (name: string) => readFileSync(join(folder, name), 'utf8').trim();
const leftovers = () => ['address', 'pid', 'pg/postmaster.pid'].filter((name) => existsSync(join(folder, name)));

/** What the service answers to the line as a shell reads it, whether this machine has curl or not. */
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
  it('stops cleanly when stopped before it is ready', async () => {
    const up = Up.start();
    while (!existsSync(join(folder, 'pid'))) await new Promise(setImmediate);
    expect(await up.after('SIGTERM')).toBe(0);
    expect(up.lines).toEqual([]);
    expect(leftovers()).toEqual([]);
  });

  it('says where it is, keeps the first key, runs once, and ends with 0 after SIGTERM', async () => {
    const up = await Up.ready();
    const address = (await up.says(/^Namewatch ready at /)).replace('Namewatch ready at ', '');
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(textOf('address')).toBe(address);
    expect(statSync(join(folder, 'first-key')).mode & 0o777).toBe(0o600);
    expect(await up.says(/^API key:/)).toBe(`API key:   in ${folder}/first-key`);
    expect(up.lines.join('\n')).not.toContain(textOf('first-key'));
    expect(await answerTo(await up.says(/^curl /))).toMatchObject({ domain: 'available.test', available: true });

    const second = await namewatch({}, 'up');
    expect(second).toMatchObject({ code: 1, stdout: '', stderr: `already running (pid ${up.pid}) at ${address}\n` });

    expect(await up.after('SIGTERM')).toBe(0);
    expect(leftovers()).toEqual([]);
  });

  const onTerminal = process.platform === 'linux' ? it : it.skip;
  onTerminal('prints the first key on a terminal, which is not recorded', async () => {
    const own = openFolder(); // the key is shown at a first start
    const settings = { DATA_DIR: own, PORT: '0', LOG_LEVEL: 'silent', RDAP_BOOTSTRAP_URL: 'off', DNS_SERVERS: 'off' };
    const command = `${process.execPath} ${join(ROOT, 'bin/namewatch.mjs')} up`;
    const child = spawn('script', ['-qefc', command, '/dev/null'], {
      ...{ cwd: ROOT, env: { ...ownEnvironment(), ...settings } },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (line.startsWith('curl ')) process.kill(Number(readFileSync(join(own, 'pid'), 'utf8').split(/\s/)[0]));
    }
    const key = readFileSync(join(own, 'first-key'), 'utf8').trim();
    expect(lines).toContain(`API key:   ${key} (kept in ${own}/first-key)`);
  });

  it('comes again after kill -9 with the same key, and ends with 0 after a Ctrl-C that npm passes on', async () => {
    const killed = Up.start({ LOG_FORMAT: 'json', LOG_LEVEL: 'info' });
    const address = (await killed.says(/^Namewatch ready at /)).replace('Namewatch ready at ', '');
    // When its log is JSON it says in words where it is and where the key lies.
    const { msg } = JSON.parse(await killed.says(/"serving/)) as { msg: string };
    expect(msg).toBe(`serving; Dashboard: ${address}/ui/; API docs: ${address}/docs; API key: in ${folder}/first-key`);
    const key = textOf('first-key');
    expect(killed.lines.join('\n')).not.toContain(key);
    expect(await killed.after('SIGKILL')).toBe('SIGKILL');

    const up = await Up.ready();
    expect(await up.says(/^API key:/)).toBe(`API key:   in ${folder}/first-key`);
    expect(textOf('first-key')).toBe(key);
    expect(await answerTo(await up.says(/^curl /))).toMatchObject({ domain: 'available.test' });
    expect(await up.after('SIGINT', 'SIGINT')).toBe(0);
    expect(leftovers()).toEqual([]);
  });

  it('says every wrong setting on a line of its own, and ends with 78', async () => {
    const wrong = await namewatch({ PORT: 'high', TIME_SCALE: '60', REDISURL: 'x' }, 'up');
    expect(wrong).toMatchObject({ code: 78, stdout: '' });
    expect(wrong.stderr.trim().split('\n')).toHaveLength(3);
  });

  it('ends with 2 for words it does not know', async () => {
    expect((await namewatch({}, 'upp')).code).toBe(2);
    const env = { DATA_DIR: folder };
    expect((await runInProcess(['up', '--daemon'], env)).code).toBe(2);
    expect((await runInProcess([], env)).code).toBe(2);
    expect((await runInProcess(['--help'], env)).code).toBe(0);
  });
});
