import { startForTests, type TestNamewatch } from 'namewatch/testing';
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import extension from '../src/extension.js';

const PATH = '/v1/x/my-extension/greeting';

describe('the route', () => {
  let namewatch: TestNamewatch;
  before(async () => {
    namewatch = await startForTests({ extensions: [extension] });
  });
  after(() => namewatch.close());

  it('answers the account that asks', async () => {
    const { status, body } = await namewatch.client.get(`${PATH}?name=Ada`);
    assert.equal(status, 200);
    assert.deepEqual(body, { text: 'Hello, Ada!', account: namewatch.accountId });
  });

  it('refuses callers without a key, and queries that are not valid', async () => {
    assert.equal((await namewatch.client.withKey(null).get(`${PATH}?name=Ada`)).status, 401);
    assert.equal((await namewatch.client.get(PATH)).status, 400);
  });

  it('is in the API document', async () => {
    const { body } = await namewatch.client.get<{ paths: object }>('/openapi.json');
    assert.ok(Object.keys(body.paths).includes(PATH));
  });
});
