import { expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const MINUTES = 180_000;

it(
  'tells a name’s last days by webhook and mail, from real registry sockets to real receivers',
  async () => {
    const demo = ['--import', 'tsx', join(root, 'examples/demo/main.ts'), '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, demo, { cwd: root, timeout: MINUTES });
    const scenes = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const told = (domain: string, status: string, move: string) =>
      expect.objectContaining({
        ...{ status, move },
        webhook: { id: expect.stringMatching(/^evt_/), signature: 'verified' },
        mail: { to: 'you@demo.example', subject: expect.stringContaining(`[Namewatch] ${domain} `) },
      });
    const untold = (status: string) => expect.objectContaining({ status, move: null, webhook: null, mail: null });
    expect(scenes).toEqual([
      untold('registered'),
      untold('registered'), // while the registry denied it
      told('lapsing.demo', 'expiring', 'expiring'),
      told('lapsing.demo', 'pending_delete', 'deletion_started'),
      told('lapsing.demo', 'available', 'dropped'),
      told('veteran.elder', 'available', 'dropped'),
    ]);
    expect(scenes.at(-1)?.['seconds']).toEqual(expect.any(Number));
  },
  MINUTES,
);
