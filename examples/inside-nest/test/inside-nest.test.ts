import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readNamewatchConfig } from 'namewatch';
import { startForTests, type TestNamewatch } from 'namewatch/testing';
import { ShopModule } from '../src/shop.module.js';

/** Lends the shop a database with an account, whose key the tests use. */
let lender: TestNamewatch;
let app: INestApplication;
let url: string;

before(async () => {
  const MASTER_KEY = randomBytes(32).toString('base64');
  lender = await startForTests({ settings: { MASTER_KEY, ROLE: 'api' } });
  const settings = { MASTER_KEY, DATABASE_URL: lender.databaseUrl, RDAP_BOOTSTRAP_URL: 'off', DNS_SERVERS: 'off' };
  const module = ShopModule.forConfig(() => readNamewatchConfig(settings));
  app = await NestFactory.create(module, { logger: ['error'], abortOnError: false });
  app.setGlobalPrefix('shop');
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
});
after(async () => {
  await app.close();
  await lender.close();
});

const call = (path: string, key?: string) =>
  fetch(url + path, key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } });

describe('a shop with Namewatch', () => {
  it('serves its own routes', async () => {
    assert.deepEqual(await (await call('/shop/products')).json(), [{ name: 'a domain name' }]);
  });

  it('refuses callers without a key below /names', async () => {
    for (const path of ['/v1/me', '/v1/watchlist', '/v1/domains/check?domain=available.test'])
      assert.equal((await call(`/names${path}`)).status, 401);
  });

  it('checks names for callers with a key', async () => {
    const response = await call('/names/v1/domains/check?domain=available.test', lender.key);
    const { available } = (await response.json()) as { available: boolean };
    assert.equal(available, true);
  });
});
