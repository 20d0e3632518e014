import { expect, it } from '@jest/globals';
import { until } from '../../../src/testing.js';
import { ledgerSuite } from './ledger-suite.js';

ledgerSuite(
  'PostgreSQL',
  () => ({}),
  (service) => {
    it('is not called for a lookup that changes nothing', async () => {
      const { clock } = service().namewatch;
      await service().watchRegistered('quiet.test');
      let calls = 0;
      service().replaceHandler(() => Promise.resolve(void (calls += 1)));
      const lastCheck = async () => (await service().entryOf('quiet.test'))?.last_checked_at ?? '';
      const before = await lastCheck();
      clock.advance({ days: 1 });
      await until(async () => (await lastCheck()) > before);
      expect(calls).toBe(0);
    });

    it('does not keep a client from the answer of its check', async () => {
      const { client, registry } = service().namewatch;
      await service().watchRegistered('asked.test');
      service().replaceHandler(() => Promise.reject(new Error('the ledger is closed')));
      registry.release('asked.test');
      const answer = await client.get('/v1/domains/check?domain=asked.test&max_age=0');
      expect(answer).toMatchObject({ status: 200, body: { status: 'available' } });
      expect(await service().entryOf('asked.test')).toMatchObject({ status: 'registered' });
    });

    it('serves its rows to their account only', async () => {
      const { namewatch } = service();
      await service().watchRegistered('mine.test');
      service().release('mine.test');
      await until(async () => (await service().statusesOf('mine.test')).length === 1);
      const { body } = await namewatch.client.get<{ data: { domain: string }[] }>('/v1/ledger');
      expect(body.data.map(({ domain }) => domain)).toContain('mine.test');
      const { key } = await namewatch.openAccount();
      expect((await namewatch.client.withKey(key).get('/v1/ledger')).body).toEqual({ data: [] });
      expect((await namewatch.client.withKey(null).get('/v1/ledger')).status).toBe(401);
    });

    it('loses its rows of an account with the account', async () => {
      const { namewatch } = service();
      const { accountId, key } = await namewatch.openAccount();
      await service().watchRegistered('shut.test', namewatch.client.withKey(key));
      service().release('shut.test');
      await until(async () => (await service().statusesOf('shut.test')).length === 1);
      expect(await namewatch.deleteAccount(accountId)).toMatchObject({ 'ledger entries': 1 });
      expect(await service().statusesOf('shut.test')).toEqual([]);
    });
  },
);
