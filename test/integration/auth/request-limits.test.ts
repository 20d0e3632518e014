import { expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { MinuteLimits } from '../../../src/auth/authentication/minute-limits.js';
import { readConfig } from '../../../src/config/config.js';
import { RedisConnection } from '../../../src/platform/redis/redis-connection.js';
import { SqlClient } from '../../../src/platform/database/sql-client.js';
import { serviceDatabase } from '../../support/servers/test-service.js';
import { PATIENT, requestLimitsIn } from './request-limits-suite.js';
import { Listening } from '../../world/listening.js';

requestLimitsIn('PostgreSQL', async () => {
  const settings = { DATABASE_URL: await serviceDatabase(), MASTER_KEY: randomBytes(32).toString('base64') };
  const there = new SqlClient(readConfig(settings));
  const away = new SqlClient(readConfig({ ...settings, DATABASE_URL: 'postgres://none@127.0.0.1:1/none' }));
  const none = new RedisConnection(null);
  return {
    tokens: () => new MinuteLimits(none, there, PATIENT),
    unreachable: new MinuteLimits(none, away),
    close: async () => void (await Promise.all([there.onApplicationShutdown(), away.onApplicationShutdown()])),
  };
});

it('a silent store delays one request, and not the next ones', async () => {
  const silent = await Listening.on(createServer());
  const master = { MASTER_KEY: randomBytes(32).toString('base64') };
  const statements = new SqlClient(readConfig({ ...master, DATABASE_URL: `postgres://a@${silent.host}/none` }));
  const limits = new MinuteLimits(new RedisConnection(null), statements);
  expect(await limits.admit('acc_silent', 60)).toMatchObject({ isAdmitted: true });
  const asked = silent.sockets.size;
  expect(await limits.admit('acc_other', 60)).toMatchObject({ isAdmitted: true });
  expect([asked, silent.sockets.size]).toEqual([1, 1]);
  await silent.close();
  await statements.onApplicationShutdown();
});
