import { expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, resolveConfig } from '../../../tools/prettier.js';
import { runInProcess } from '../../support/programs/command-line.js';

const ROOT = join(import.meta.dirname, '../../..');
const PORTS = readdirSync(join(ROOT, 'examples/templates')).filter((name) => !name.includes('.'));

it.each(PORTS)('namewatch extension new writes files that Prettier accepts, from the template %s', async (port) => {
  const folder = mkdtempSync(join(tmpdir(), 'extension-new-'));
  try {
    await runInProcess(['extension', 'new', join(folder, 'acme-east'), '--port', port], {});
    const format = await resolveConfig(join(ROOT, 'package.json'));
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    for (const path of files
      .map((one) => join(one.parentPath, one.name))
      .filter((one) => !one.endsWith('.gitignore'))) {
      const isFormatted = await check(readFileSync(path, 'utf8'), { ...format, filepath: path });
      expect({ path, isFormatted }).toEqual({ path, isFormatted: true });
    }
    expect(files.length).toBeGreaterThan(4);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
