import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInProcess } from '../../support/programs/command-line.js';
import { startTestService, type TestService } from '../../support/servers/test-service.js';

let service: TestService;
let env: Record<string, string>;
const folder = mkdtempSync(join(tmpdir(), 'namewatch-only-account-'));

beforeAll(async () => {
  const MASTER_KEY = randomBytes(32).toString('base64');
  service = await startTestService({ MASTER_KEY, ROLE: 'api' });
  env = { DATABASE_URL: service.databaseUrl, MASTER_KEY, DATA_DIR: folder, RDAP_BOOTSTRAP_URL: 'off' };
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const namewatch = (...words: string[]) => runInProcess(words, env);

describe('a command about an account', () => {
  const COMMANDS = [
    ['key', 'list'],
    ['key', 'create', '--name', 'ci'],
    ['account', 'change', '--plan', 'pro'],
    ['account', 'resume'],
  ];

  it('is about the only one unless it names one', async () => {
    for (const command of COMMANDS) expect(await namewatch(...command)).toMatchObject({ code: 0, err: '' });
    const { data } = (await service.call({ path: '/v1/keys' })).body as { data: { name: string }[] };
    expect(data.map(({ name }) => name)).toEqual(['first', 'ci']);
    expect((await service.call({ path: '/v1/me' })).body).toMatchObject({ account: { plan: 'pro' } });
  });

  it('lists the accounts where there are several', async () => {
    const other = await service.openAccount();
    for (const command of COMMANDS) {
      const { code, err } = await namewatch(...command);
      expect([code, err]).toEqual([
        2,
        expect.stringMatching(/there are 2 accounts, name one (with --account|by its id):/),
      ]);
      for (const { id } of [service.account, other]) expect(err).toContain(`  ${id}  test`);
    }
  });

  it('never removes or suspends one that it does not name', async () => {
    for (const command of ['delete', 'suspend'])
      expect(await namewatch('account', command)).toMatchObject({ code: 2, err: expect.stringContaining('id') });
  });
});
