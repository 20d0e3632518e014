import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Config } from '../../../src/config/config.js';
import { isDatabaseUnavailable } from '../../../src/platform/database/database-unavailable.js';
import { SqlClient } from '../../../src/platform/database/sql-client.js';
import { freshDatabase } from '../../support/database/database.js';
import { TcpProxy } from '../../support/fakes/tcp-proxy.js';

let proxy: TcpProxy;
let statements: SqlClient;
beforeEach(async () => {
  const url = new URL(await freshDatabase());
  proxy = await TcpProxy.start({ host: url.hostname, port: Number(url.port) });
  url.port = String(proxy.port);
  statements = new SqlClient({ databaseUrl: url.href, databasePool: 1 } as Config);
});
afterEach(async () => {
  jest.useRealTimers();
  proxy.heal();
  await statements.onApplicationShutdown();
  await proxy.close();
});

const ONE = { name: 'one', text: 'select 1 as one' };

describe('a silent database', () => {
  it.each([
    ['alone', () => statements.run(ONE)],
    ['in turn', () => statements.runExclusive('test', ONE, [])],
  ])('fails the statement run %s, and answers the next one when it responds again', async (_, run) => {
    await run();
    proxy.silence();
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
    const failure = run().then(
      () => null,
      (error: unknown) => error,
    );
    await jest.advanceTimersByTimeAsync(36_000);
    expect(isDatabaseUnavailable(await failure)).toBe(true); // clients get 503 with Retry-After
    jest.useRealTimers();
    proxy.heal();
    expect(await run()).toEqual([{ one: 1 }]);
  });
});

describe('a statement', () => {
  const LIMIT = { name: 'limit', text: `select current_setting('statement_timeout') as limit` };

  it('that reads a whole table may take longer than the others', async () => {
    expect(await statements.runFullScan(LIMIT)).toEqual([{ limit: '10min' }]);
    expect(await statements.run(LIMIT)).toEqual([{ limit: '30s' }]);
  });
});
