import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { after, Clock, DAY } from '../../../../src/kernel/clock.js';
import { UnitOfWork } from '../../../../src/kernel/unit-of-work.js';
import { ReplayDeliveries } from '../../../../src/notifications/deliveries/redeliver.js';
import { ReplayRepository } from '../../../../src/notifications/deliveries/replays.repository.js';
import { accepted } from '../../../../src/notifications/index.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

let notifications: NotificationService;
beforeAll(async () => {
  notifications = await NotificationService.start();
});
afterAll(() => notifications.close());

describe('a replay', () => {
  it('that a process left undone is finished by another', async () => {
    const channelId = await notifications.openChannel('receiver');
    notifications.sender.receive = () => accepted(200, 'taken');
    await notifications.happens(...[1, 2, 3].map(() => notifications.event()));
    await notifications.deliverDue();
    const requestedAt = notifications.of(Clock).now();
    const range = { channelId, from: after(requestedAt, -DAY), to: requestedAt, requestedAt };
    const replays = notifications.of(ReplayRepository);
    const work = notifications.of(UnitOfWork);
    const id = await work.run(() => replays.start(range));
    await work.run(() => replays.advance(id, 2)); // then it died
    const states = async () =>
      (await notifications.rows('select state from deliveries order by created_at desc, id desc')).map(
        ({ state }) => state,
      );
    expect(await states()).toEqual(['delivered', 'pending', 'pending']);
    await notifications.of(ReplayDeliveries).finishAbandoned(); // it may be at work still
    expect(await states()).toEqual(['delivered', 'pending', 'pending']);
    await notifications.rows(`update delivery_replays set advanced_at = now() - interval '1 minute'`);
    await notifications.of(ReplayDeliveries).finishAbandoned();
    expect(await states()).toEqual(['pending', 'pending', 'pending']);
    expect(await notifications.rows('select 1 from delivery_replays')).toEqual([]);
  });
});
