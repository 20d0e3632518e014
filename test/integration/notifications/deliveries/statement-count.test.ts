import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Deliver } from '../../../../src/notifications/deliveries/deliver.js';
import { StartNextAttempts } from '../../../../src/notifications/deliveries/start-next-attempts.js';
import { accepted } from '../../../../src/notifications/index.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

let notifications: NotificationService;
beforeAll(async () => {
  notifications = await NotificationService.start();
});
afterEach(async () => {
  await notifications.rows('delete from notification_channels');
});
afterAll(() => notifications.close());

/** Ours and the ORM's, which brings its own. */
const ormRequire = createRequire(createRequire(import.meta.url).resolve('@mikro-orm/postgresql'));
const DRIVERS = [...new Set<typeof pg.Client>([pg.Client, (ormRequire('pg') as typeof pg).Client])];
/** Others are at work in the same process, on tables of theirs. */
const OURS = /\b(events|deliver(y|ies)\w*|notification_channels|pg_advisory_xact_lock)\b/;

/** What is sent to PostgreSQL while `work` runs, by any client. */
async function recordStatements(work: () => Promise<unknown>): Promise<string[]> {
  const sent: string[] = [];
  const restore = DRIVERS.map(({ prototype }) => {
    const query = Reflect.get(prototype, 'query') as (...args: unknown[]) => unknown;
    const noted = function (this: pg.Client, ...args: unknown[]) {
      const [first] = args as [string | { text: string }];
      sent.push(typeof first === 'string' ? first : first.text);
      return Reflect.apply(query, this, args);
    };
    Reflect.set(prototype, 'query', noted);
    return () => Reflect.set(prototype, 'query', query);
  });
  try {
    await work();
  } finally {
    for (const one of restore) one();
  }
  return sent.filter((text) => OURS.test(text));
}
const open = async (many: number) => {
  for (let n = 0; n < many; n += 1) await notifications.openChannel(`${n}.example`);
};
const events = (many: number) => Array.from({ length: many }, () => notifications.event());

describe('the statements', () => {
  it('of a publication are two, whatever the number of events and channels', async () => {
    await open(1);
    const few = await recordStatements(() => notifications.happens(...events(1)));
    await open(20);
    const many = await recordStatements(() => notifications.happens(...events(200)));
    expect(few).toHaveLength(2);
    expect(many).toHaveLength(2);
    expect(await notifications.rows('select count(*)::int as n from deliveries')).toEqual([{ n: 1 + 200 * 20 }]);
  });

  it('of a claim are two, lock and claim, whatever the number of claims', async () => {
    await open(2);
    await notifications.happens(...events(1));
    expect(await recordStatements(() => notifications.claim())).toHaveLength(2);
    await open(40);
    await notifications.happens(...events(1));
    expect(await recordStatements(() => notifications.claim())).toHaveLength(2);
  });

  it('of a batch of attempts are four to start and one to finish, whatever its size', async () => {
    await open(50);
    await notifications.happens(...events(2));
    const claims = await notifications.claim();
    const release = Promise.withResolvers<void>();
    let waiting = 0;
    notifications.sender.receive = async () => {
      waiting += 1;
      if (waiting === claims.length) release.resolve();
      await release.promise;
      return accepted(200, null);
    };
    const sent = await recordStatements(() => Promise.all(claims.map((claim) => notifications.deliver(claim))));
    expect(claims).toHaveLength(100);
    expect(sent).toHaveLength(5);
    const states = await notifications.rows('select state, count(*)::int as n from deliveries group by 1');
    expect(states).toEqual([{ state: 'delivered', n: 100 }]);
  });

  it('of attempts where a slot became free are two to claim and start, and one to finish', async () => {
    await open(50);
    await notifications.happens(...events(2));
    const hosts = (await notifications.rows('select distinct host from deliveries')).map(({ host }) => String(host));
    const sent = await recordStatements(async () => {
      const { started } = await notifications.of(StartNextAttempts).run(hosts);
      expect(started).toHaveLength(100);
      await Promise.all(started.map((context) => notifications.of(Deliver).attempt(context)));
    });
    expect(sent).toHaveLength(3);
    const states = await notifications.rows('select state, count(*)::int as n from deliveries group by 1');
    expect(states).toEqual([{ state: 'delivered', n: 100 }]);
  });
});
