import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { setTimeout as pause } from 'node:timers/promises';
import { LookupCoordinator } from '../../../../src/domains/application/ports/lookup-coordinator.js';
import { asServingUser } from '../../../support/database/database.js';
import { serviceDatabase, startTestService, type TestService } from '../../../support/servers/test-service.js';

const PUBLISHED = `insert into shared_looks (domain, observed_at, changed_at) values ($1, now(), clock_timestamp())`;
/** So long after its last change, a table without open transactions is settled. */
const SETTLED_AFTER_MS = 1_500;
let service: TestService;
let other: pg.Client;

beforeAll(async () => {
  service = await startTestService({ ROLE: 'api', DATABASE_URL: await serviceDatabase() });
  other = new pg.Client(await asServingUser(service.databaseUrl)); // as another process of the service
  await other.connect();
});
afterAll(async () => {
  await service.close();
  await other.end();
});

async function findChanges(since: Date | null) {
  const coordinator = service.app.get(LookupCoordinator, { strict: false });
  const { names, settledUntil } = await coordinator.findChanges(since);
  return { domains: names.map(({ domain }) => domain), settledUntil };
}

describe('changes of lookups', () => {
  it('are not read again once none before them can follow', async () => {
    await other.query(PUBLISHED, ['read.example']);
    const first = await findChanges(null);
    await pause(SETTLED_AFTER_MS);
    const second = await findChanges(first.settledUntil);
    const third = await findChanges(second.settledUntil);
    expect(first.domains).toContain('read.example');
    expect(second.domains).toContain('read.example'); // an earlier one might have followed
    expect(third.domains).toEqual([]);
    expect((await findChanges(null)).domains).toContain('read.example');
  });

  it('are read when they are committed long after they were written', async () => {
    await other.query('begin');
    await other.query(PUBLISHED, ['late.example']);
    let { settledUntil } = await findChanges(null);
    for (let polls = 0; polls < 3; polls += 1) {
      await pause(SETTLED_AFTER_MS);
      const unseen = await findChanges(settledUntil);
      expect(unseen.domains).not.toContain('late.example');
      ({ settledUntil } = unseen);
    }
    await other.query('commit');
    expect((await findChanges(settledUntil)).domains).toContain('late.example');
  });

  it('are left out when they are older than ten seconds', async () => {
    await other.query(PUBLISHED, ['old.example']);
    await other.query(`update shared_looks set changed_at = now() - interval '11 seconds'`);
    expect((await findChanges(new Date(0))).domains).toEqual([]);
  });
});
