import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgram } from '../../../src/cli/cli.js';
import { generateApiKey } from '../../../src/auth/domain/api-key.js';
import { freePort } from '../../../src/process/postgres/embedded-postgres.js';
import { commandNames, runInProcess } from '../../support/programs/command-line.js';
import { serviceDatabase } from '../../support/servers/test-service.js';
import { type ServiceProcess, startServiceProcess } from '../../support/servers/service-process.js';
import { testRedis } from '../../support/servers/test-redis.js';
import { composeFile, interpolated } from '../../unit/deployment/compose-file.js';

jest.setTimeout(180_000); // whole processes start, also on a busy machine

/** Words of commands that work on the data itself, in this order: some are about rows that others made. */
const OPERATOR: readonly (readonly [name: string, words: (made: Made) => readonly string[], code?: number])[] = [
  ['account create', () => ['--name', 'beside']],
  ['account list', () => []],
  ['account change', ({ account }) => [account, '--plan', 'pro']],
  ['account suspend', ({ account }) => [account]],
  ['account resume', ({ account }) => [account]],
  ['key create', ({ account }) => ['--account', account, '--name', 'beside']],
  ['key list', ({ account }) => ['--account', account]],
  ['key revoke', ({ key }) => [key]],
  ['key generate', () => []],
  ['member invite', ({ account }) => ['a@client.test', '--account', account]],
  ['member list', ({ account }) => ['--account', account]],
  ['member role', ({ account }) => ['per_01jd6z0v8q3m4n5p6r7s8t9vwx', 'viewer', '--account', account], 3],
  ['member remove', ({ account }) => ['per_01jd6z0v8q3m4n5p6r7s8t9vwx', '--account', account], 3],
  ['audit', () => []],
  ['account delete', ({ account }) => [account, '--yes']],
  ['secrets rotate', () => []],
  ['doctor', () => []],
  ['status', () => []],
  ['migrate', () => []],
  ['backup', ({ folder }) => [join(folder, 'backup')]],
  ['restore', ({ folder }) => [join(folder, 'backup')]],
];

/** Commands that ask the service by its address, or not at all. */
const OTHERS =
  /^(up|check|variants|explain|whoami|import|export|apply|mcp|(watch|channel|calendar|client-page|events|webhooks|extension) .*)$/;

interface Made {
  readonly account: string;
  readonly key: string;
  readonly folder: string;
}

/** The settings of an API process in docker-compose.yml, at addresses and with stores of this machine. */
async function settingsOf(folder: string, stores: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const given = Object.entries(composeFile().services['api']?.environment ?? {});
  return {
    ...Object.fromEntries(given.map(([name, value]) => [name, interpolated(value, {})])),
    HOST: '127.0.0.1',
    METRICS_HOST: '127.0.0.1',
    PORT: String(await freePort()),
    METRICS_PORT: String(await freePort()),
    DATA_DIR: join(folder, 'data'),
    BOOTSTRAP_API_KEY: generateApiKey().text,
    RDAP_BOOTSTRAP_URL: 'off',
    DNS_SERVERS: 'off',
    ...stores,
  };
}

const ownStores = async () => ({
  DATABASE_URL: await serviceDatabase(),
  REDIS_URL: process.env['TEST_REDIS_URL'] === undefined ? '' : testRedis(),
  MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
});
const embedded = () => Promise.resolve({ DATABASE_URL: '', REDIS_URL: '', MASTER_KEY: '', ROLE: 'all' });

it('every command is listed in this test as using the database or as not using the database', async () => {
  const names = OPERATOR.map(([name]) => name);
  expect(
    commandNames(await createProgram())
      .filter((name) => !OTHERS.test(name))
      .sort(),
  ).toEqual(names.toSorted());
});

describe.each([
  { database: 'at DATABASE_URL', stores: ownStores, isRefused: (name: string) => name === 'restore' },
  { database: 'in the data folder', stores: embedded, isRefused: () => false },
])('operator commands beside a running service, with a database $database', ({ stores, isRefused }) => {
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-beside-'));
  let settings: Record<string, string>;
  let service: ServiceProcess;
  beforeAll(async () => {
    settings = await settingsOf(folder, await stores());
    service = await startServiceProcess(settings);
  });
  afterAll(async () => {
    await service.kill('SIGINT');
    rmSync(folder, { recursive: true, force: true });
  });

  it('all exit with the expected code, and the service stays ready', async () => {
    expect((await fetch(`http://127.0.0.1:${settings['METRICS_PORT']}/metrics`)).status).toBe(200);
    let made: Made = { account: '', key: '', folder };
    for (const [name, words, code = 0] of OPERATOR) {
      const own = name === 'restore' ? { DATA_DIR: join(folder, 'restored') } : {};
      const result = await runInProcess([...name.split(' '), ...words(made)], { ...settings, ...own });
      const text = `${name}: ${result.out} ${result.err}`;
      expect({ text, code: result.code }).toEqual({ text, code: isRefused(name) ? 5 : code });
      if (name === 'account create') made = { ...made, account: /acc_\w+/.exec(result.out)?.[0] ?? '' };
      if (name === 'key list') made = { ...made, key: /key_\w+/.exec(result.out)?.[0] ?? '' };
    }
    expect((await fetch(`${service.address}/readyz`)).status).toBe(200);
  });
});
