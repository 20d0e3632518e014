import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../../src/kernel/clock.js';
import type { Claim } from '../../../../src/notifications/domain/delivery.js';
import { StartAttempts } from '../../../../src/notifications/deliveries/start-attempts.js';
import { anEvent } from '../../../support/builders/notification-events.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

interface Account {
  readonly id: string;
  readonly key: string;
}

let notifications: NotificationService;
let busy: Account;
let quiet: Account;
beforeAll(async () => {
  notifications = await NotificationService.start();
});
beforeEach(async () => {
  [busy, quiet] = [await notifications.service.openAccount(), await notifications.service.openAccount()];
});
afterEach(() => notifications.rows('delete from notification_channels'));
afterAll(() => notifications.close());

const open = async ({ key }: Account, host: string, many: number) => {
  for (let n = 1; n <= many; n += 1) await notifications.openChannel(`${host}/${key}/${n}`, key);
};
const happen = ({ id: accountId }: Account, many: number) =>
  notifications.happens(
    ...Array.from({ length: many }, () => anEvent({}, { accountId, at: notifications.of(Clock).now() })),
  );
const claim = (limit = 100) => notifications.of(StartAttempts).claim(limit);
/** How many of these claims each account has. */
const shares = async (claims: readonly Claim[]) => {
  const rows = await notifications.rows(
    `select c.account_id as account, count(*)::int as n
     from deliveries d join notification_channels c on c.id = d.channel_id where d.id = any($1) group by c.account_id`,
    [claims.map(({ id }) => id)],
  );
  const of = ({ id }: Account) => rows.find(({ account }) => account === id)?.['n'] ?? 0;
  return { busy: of(busy), quiet: of(quiet) };
};

describe.each([
  { due: 'a few deliveries are due', events: 10 },
  { due: 'there is a backlog', events: 60 },
])('places at a host that two accounts deliver to, while $due', ({ events }) => {
  beforeEach(async () => {
    await open(busy, 'shared.example', 20);
    await happen(busy, events);
    await open(quiet, 'shared.example', 1);
    notifications.advance(1_000);
  });

  it('take turns by account, whatever the number of channels and the age of deliveries', async () => {
    await happen(quiet, 2);
    expect(await shares(await claim())).toEqual({ busy: 3, quiet: 2 });
  });

  it('go to the account with the fewest attempts in progress', async () => {
    const [first] = await claim();
    await happen(quiet, 1);
    expect(await claim()).toEqual([]);
    if (first) await notifications.deliver(first);
    expect(await shares(await claim())).toEqual({ busy: 0, quiet: 1 });
  });

  it('are all available to one account while the other has nothing due', async () => {
    expect(await shares(await claim())).toEqual({ busy: 5, quiet: 0 });
  });
});

describe('all slots', () => {
  it('take turns by account, whatever the number of hosts', async () => {
    for (let n = 0; n < 12; n += 1) await open(busy, `${n}.example`, 1);
    await happen(busy, 2);
    await open(quiet, 'quiet.example', 1);
    await happen(quiet, 1);
    expect(await shares(await claim(3))).toEqual({ busy: 2, quiet: 1 });
  });
});
