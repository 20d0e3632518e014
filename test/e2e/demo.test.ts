import { expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const MINUTE = 60_000;

it(
  'tells a name’s last days by webhook and mail, from a real registry socket to real receivers',
  async () => {
    const begun = performance.now();
    const demo = ['--import', 'tsx', join(root, 'examples/demo/main.ts'), '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, demo, { cwd: root, timeout: MINUTE });
    const scenes = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const told = (status: string, move: string) =>
      expect.objectContaining({
        ...{ status, move },
        webhook: { id: expect.stringMatching(/^evt_/), signature: 'verified' },
        mail: { to: 'you@demo.example', subject: expect.stringMatching(/^\[Namewatch\] lapsing\.demo /) },
      });
    expect(scenes).toEqual([
      expect.objectContaining({ status: 'registered', move: null, webhook: null, mail: null }),
      told('expiring', 'expiring'),
      told('pending_delete', 'deletion_started'),
      told('available', 'dropped'),
    ]);
    expect(scenes.at(-1)?.['seconds']).toBeLessThan(30);
    expect(performance.now() - begun).toBeLessThan(MINUTE);
  },
  MINUTE,
);
