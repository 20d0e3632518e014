import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { LookupCoordinator } from '../../../../src/domains/lookup-cache/lookup-coordinator.js';
import { asServingUser } from '../../../support/database/database.js';
import { eventually } from '../../../support/eventually.js';
import { serviceDatabase, startTestService, type TestService } from '../../../support/servers/test-service.js';

const PUBLISHED = `insert into lookups (domain, observed_at, changed_at) values ($1, now(), clock_timestamp())`;
/** Is longer than any margin for the moment between the date of a change and the number of its transaction. */
const LONG_MS = 1_500;
let service: TestService;
let other: pg.Client;
const clients: pg.Client[] = [];

beforeAll(async () => {
  service = await startTestService({ ROLE: 'api', DATABASE_URL: await serviceDatabase() });
  other = await connect(await asServingUser(service.databaseUrl)); // as another process of the service
});
afterAll(async () => {
  for (const client of clients) await client.end();
  await service.close();
});

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  clients.push(client);
  return client;
}

async function databaseTime(): Promise<Date> {
  const { rows } = await other.query<{ now: Date }>('select clock_timestamp() as now');
  return rows[0]?.now ?? new Date(NaN);
}

async function findChanges(since: Date | null) {
  const coordinator = service.app.get(LookupCoordinator, { strict: false });
  const { names, settledUntil } = await coordinator.findChanges(since);
  return { domains: names.map(({ domain }) => domain), settledUntil };
}

describe('changes of lookups', () => {
  it('are not read again once none before them can follow', async () => {
    await other.query(PUBLISHED, ['read.example']);
    const at = await databaseTime();
    expect((await findChanges(null)).domains).toContain('read.example');
    const { settledUntil } = await eventually(
      () => findChanges(null), // transactions of other suites on this server count too
      (changes) => changes.settledUntil > at,
    );
    expect((await findChanges(settledUntil)).domains).toEqual([]);
    expect((await findChanges(null)).domains).toContain('read.example');
  });

  it.each([
    ['of the service', asServingUser, ''],
    ['of another user', (url: string) => url, ''],
    ['whose activities are not tracked', (url: string) => url, 'set track_activities = off'],
  ])('are read when a session %s commits them long after it wrote them', async (whose, as, setting) => {
    const late = await connect(await as(service.databaseUrl));
    await late.query(setting);
    await late.query('begin');
    const name = `${whose.replaceAll(' ', '-')}.example`;
    await late.query(PUBLISHED, [name]);
    const at = await databaseTime();
    await eventually(databaseTime, (now) => now.getTime() - at.getTime() > LONG_MS);
    let { settledUntil } = await findChanges(null);
    for (let polls = 0; polls < 3; polls += 1) {
      await other.query(PUBLISHED, [`${polls}-${name}`]); // others go on
      const unseen = await findChanges(settledUntil);
      expect(unseen.domains).not.toContain(name);
      ({ settledUntil } = unseen);
    }
    await late.query('commit');
    expect((await findChanges(settledUntil)).domains).toContain(name);
  });

  it('are left out when they are older than ten seconds', async () => {
    await other.query(PUBLISHED, ['old.example']);
    await other.query(`update lookups set changed_at = now() - interval '11 seconds'`);
    expect((await findChanges(new Date(0))).domains).toEqual([]);
  });
});
