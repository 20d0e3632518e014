import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startForTests, type TestNamewatch, until } from '../../../src/testing.js';

describe('startForTests', () => {
  let namewatch: TestNamewatch;
  beforeAll(async () => {
    namewatch = await startForTests();
  });
  afterAll(() => namewatch.close());

  const statusOf = async (name: string) => {
    const { body } = await namewatch.client.get<{ data: { domain: string; status: string }[] }>('/v1/watchlist');
    return body.data.find(({ domain }) => domain === name)?.status;
  };

  it('gives a service that sees changes of a fake registry when the test moves the clock', async () => {
    const { client, registry, clock } = namewatch;
    registry.register('moving.test');
    expect(await client.post('/v1/watchlist', { domain: 'moving.test' })).toMatchObject({ status: 201 });
    await until(async () => (await statusOf('moving.test')) === 'registered');
    registry.release('moving.test');
    clock.advance({ days: 1 });
    await until(async () => (await statusOf('moving.test')) === 'available');
    await until(async () => {
      const { body } = await client.get<{ data: { type: string }[] }>('/v1/events');
      return body.data.some(({ type }) => type === 'watchlist.available');
    });
  });
});
