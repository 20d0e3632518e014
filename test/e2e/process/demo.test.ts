import { expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../../..');
const MINUTES = 180_000;

it(
  'the demo reports each change of an expiring name by webhook, mail and chat',
  async () => {
    const demo = ['--import', './tools/scripts/typescript.mjs', join(root, 'examples/demo/main.ts'), '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, demo, { cwd: root, timeout: MINUTES });
    const scenes = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const reported = (domain: string, status: string, move: string) =>
      expect.objectContaining({
        status,
        move,
        webhook: { id: expect.stringMatching(/^evt_/), signature: 'verified' },
        mail: { to: 'you@demo.example', subject: expect.stringContaining(`[Namewatch] ${domain} `) },
        chat: { text: expect.stringContaining(domain) },
      });
    const unreported = (status: string) =>
      expect.objectContaining({ status, move: null, webhook: null, mail: null, chat: null });
    expect(scenes).toEqual([
      unreported('registered'),
      unreported('registered'), // while the registry denied it
      reported('lapsing.demo', 'expiring', 'expiring'),
      reported('lapsing.demo', 'expiring', 'nameservers changed'),
      reported('lapsing.demo', 'pending_delete', 'deletion_started'),
      reported('lapsing.demo', 'available', 'dropped'),
      reported('veteran.elder', 'available', 'dropped'),
    ]);
    expect(scenes.at(-1)?.['seconds']).toEqual(expect.any(Number));
  },
  MINUTES,
);
