import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastLines } from './commands.js';
import type { Extension } from './examples.js';

const START_TIMEOUT_MS = 120_000;
const READY = /^Namewatch ready at (http:\S+)$/m;

/**
 * Starts `namewatch up` with these extensions, checks a name of the sandbox and reads the API document.
 * @returns the problem, or null
 */
export async function boot(folder: string, extensions: readonly Extension[]): Promise<string | null> {
  const dataDir = join(folder, 'data');
  const settings = Object.fromEntries(extensions.flatMap((one) => Object.entries(one.settings)));
  const service = spawn(join(folder, 'node_modules/.bin/namewatch'), ['up'], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      ...settings,
      EXTENSIONS: extensions.map(({ name }) => `./${name}`).join(','),
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
    return address === null ? `it did not start:\n${lastLines(output)}` : await probe(address, dataDir, extensions);
  } finally {
    service.kill('SIGINT');
    await ended;
  }
}

async function probe(address: string, dataDir: string, extensions: readonly Extension[]): Promise<string | null> {
  const key = readFileSync(join(dataDir, keyFile(dataDir)), 'utf8').trim();
  const url = `${address}/v1/domains/check?domain=available.test`;
  const check = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  const { status } = (await check.json()) as { readonly status?: string };
  if (status !== 'available') return `available.test is ${status}, HTTP ${check.status}`;
  const document = await (await fetch(`${address}/openapi.json`)).text();
  const missing = extensions.filter(({ shown }) => !document.includes(shown)).map(({ shown }) => shown);
  return missing.length === 0 ? null : `the API document does not show ${missing.join(', ')}`;
}

function keyFile(dataDir: string): string {
  return readdirSync(dataDir).find((name) => name.includes('key') && !name.includes('master')) ?? '';
}
