import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../unit/deployment/compose-file.js';
import { runAsProcess } from '../../support/programs/command-line.js';

jest.setTimeout(120_000); // whole processes start, also on a busy machine

const LINKS = 'RUN ln -s /app node_modules/namewatch && ln -s /app/node_modules /node_modules';
const run = promisify(execFile);

/** Where the root of the image would be. */
let image: string;
beforeAll(async () => {
  await runAsProcess(['--version'], process.env as Record<string, string>); // dist is of these sources
  image = realpathSync(mkdtempSync(join(tmpdir(), 'namewatch-image-')));
  for (const part of ['dist', 'bin', 'package.json'])
    cpSync(join(ROOT, part), join(image, 'app', part), { recursive: true });
  mkdirSync(join(image, 'app/node_modules'));
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    symlinkSync(join(ROOT, 'node_modules', name), join(image, 'app/node_modules', name));
  symlinkSync(join(image, 'app'), join(image, 'app/node_modules/namewatch'));
  symlinkSync(join(image, 'app/node_modules'), join(image, 'node_modules'));
});
afterAll(() => rmSync(image, { recursive: true, force: true }));

function install(name: string, source: string): void {
  const folder = join(image, 'extensions/node_modules', name);
  const manifest = { name, type: 'module', version: '1.0.0', exports: { import: './index.js' } };
  for (const [file, text] of Object.entries({ 'package.json': JSON.stringify(manifest), 'index.js': source })) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
}

describe('an extension in a folder of its own in the image', () => {
  it('is given links to this package and to what runs in it', () => {
    expect(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')).toContain(LINKS);
  });

  it('imports the namewatch and the Nest that the service runs on', async () => {
    install(
      '@acme/linked',
      `import 'reflect-metadata';
       import { Module } from '@nestjs/common';
       import { defineExtension } from 'namewatch';
       class Empty {}
       Module({})(Empty);
       export default defineExtension({ name: 'linked', compatibility: '*', module: Empty });`,
    );
    const words = [join(image, 'app/bin/namewatch.mjs'), 'explain', 'available.test'];
    const { stdout } = await run(process.execPath, words, {
      cwd: join(image, 'extensions'),
      env: { PATH: process.env['PATH'], EXTENSIONS: '@acme/linked', SANDBOX: 'true', RDAP_BOOTSTRAP_URL: 'off' },
    });
    expect(stdout).toContain('available.test: available');
  });
});
