import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, jest } from '@jest/globals';

jest.setTimeout(180_000); // it builds the service first

const ROOT = join(import.meta.dirname, '../../..');

it('the committed files that are generated from the API are up to date', async () => {
  const run = promisify(execFile)('npm', ['run', '-s', 'openapi', '--', '--check'], { cwd: ROOT });
  await expect(run).resolves.toEqual({ stdout: '', stderr: '' });
});
