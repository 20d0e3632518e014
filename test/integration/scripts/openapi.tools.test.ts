import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, jest } from '@jest/globals';
import { differences } from '../../../tools/scripts/openapi/generated.js';

jest.setTimeout(180_000); // it builds the service first

const ROOT = join(import.meta.dirname, '../../..');

it('finds everything that is made from the API as it is committed', async () => {
  const run = promisify(execFile)('npm', ['run', '-s', 'openapi', '--', '--check'], { cwd: ROOT });
  await expect(run).resolves.toEqual({ stdout: '', stderr: '' });
});

it('would find what is otherwise, lacking or left over', () => {
  const files = new Map([
    ['api/openapi.json', '{}'],
    ['docs/nothing.md', ''],
  ]);
  const found = differences({ document: {}, files });
  expect(found.slice(0, 2)).toEqual(['api/openapi.json', 'docs/nothing.md']);
  expect(found).toContain('clients/typescript/src/generated/sdk.gen.ts');
});
