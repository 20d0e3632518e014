import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastLines } from './commands.js';

const START_TIMEOUT_MS = 120_000;
const READY = /^Namewatch ready at (http:\S+)$/m;

export interface BootOptions {
  /** Settings that the extension needs. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A text that is in the API document only with it. */
  readonly shown?: string;
}

/**
 * Starts `namewatch up` with the extension in this folder, checks a name of the sandbox and reads the API document.
 * @returns what was wrong, null when nothing was
 */
export async function boot(
  folder: string,
  dataDir: string,
  { settings = {}, shown = '' }: BootOptions = {},
): Promise<string | null> {
  const service = spawn(join(folder, 'node_modules/.bin/namewatch'), ['up'], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      ...settings,
      EXTENSIONS: '.',
      DATA_DIR: dataDir,
      PORT: '0',
      SANDBOX: 'true',
      RDAP_BOOTSTRAP_URL: 'off',
      DNS_SERVERS: 'off',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ended = once(service, 'exit');
  const address = await new Promise<string | null>((resolve) => {
    const timer = setTimeout(() => resolve(null), START_TIMEOUT_MS);
    const settle = (found: string | null) => {
      clearTimeout(timer);
      resolve(found);
    };
    for (const stream of [service.stdout, service.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const [, ready] = READY.exec(output) ?? [];
        if (ready) settle(ready);
      });
    ended.then(() => settle(null)).catch(() => settle(null));
  });
  try {
    return address === null ? `it did not start:\n${lastLines(output)}` : await probe(address, dataDir, shown);
  } finally {
    service.kill('SIGTERM');
    await ended;
  }
}

async function probe(address: string, dataDir: string, shown: string): Promise<string | null> {
  const key = readFileSync(join(dataDir, keyFile(dataDir)), 'utf8').trim();
  const url = `${address}/v1/domains/check?domain=available.test`;
  const check = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  const { status } = (await check.json()) as { readonly status?: string };
  if (status !== 'available') return `available.test is ${status}, HTTP ${check.status}`;
  const document = await (await fetch(`${address}/openapi.json`)).text();
  return document.includes(shown) ? null : `the API document does not show ${shown}`;
}

function keyFile(dataDir: string): string {
  return readdirSync(dataDir).find((name) => name.includes('key') && !name.includes('master')) ?? '';
}
