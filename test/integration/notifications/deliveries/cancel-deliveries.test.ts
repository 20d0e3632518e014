import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDomainEvent } from '../../../../src/kernel/domain-event.js';
import { newId } from '../../../../src/kernel/identifier.js';
import { UnitOfWork } from '../../../../src/kernel/unit-of-work.js';
import { CancelDeliveries } from '../../../../src/notifications/deliveries/redeliver.js';
import { accepted, failed } from '../../../../src/notifications/index.js';
import { anEvent } from '../../../support/builders/notification-events.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

let notifications: NotificationService;
beforeAll(async () => {
  notifications = await NotificationService.start();
  await notifications.openChannel('receiver');
});
afterAll(() => notifications.close());

const aboutEntry = (entry_id: string) =>
  anEvent({ entry_id }, { accountId: notifications.service.account.id, at: new Date() });
const remove = (entry_id: string) => {
  const removed = createDomainEvent('entry.removed', notifications.service.account.id, new Date(), { entry_id });
  return notifications.of(UnitOfWork).run(() => notifications.of(CancelDeliveries).run([removed]));
};
const statesAbout = async (entryId: string) => {
  const states = await notifications.rows(
    'select d.state, d.next_attempt_at from deliveries d join events e on e.id = d.event_id where e.entry_id = $1',
    [entryId],
  );
  return states.map(({ state }) => state);
};

describe('a deleted entry', () => {
  it('has its pending deliveries disabled; those of other entries stay', async () => {
    const [gone, kept] = [newId('wl'), newId('wl')];
    await notifications.happens(aboutEntry(gone), aboutEntry(gone), aboutEntry(kept));
    await remove(gone);
    expect(await statesAbout(gone)).toEqual(['disabled', 'disabled']);
    expect(await statesAbout(kept)).toEqual(['pending']);
    await notifications.deliverDue();
    expect(notifications.sender.sent.all).toHaveLength(1);
  });

  it('keeps what was delivered, and its events', async () => {
    const entry = newId('wl');
    await notifications.happens(aboutEntry(entry));
    await notifications.deliverDue();
    await remove(entry);
    expect(await statesAbout(entry)).toEqual(['delivered']);
  });

  it('is not told of again after an attempt in progress', async () => {
    const during = newId('wl');
    await notifications.happens(aboutEntry(during));
    notifications.sender.receive = async () => {
      await remove(during);
      return failed('connect');
    };
    await notifications.deliverDue();
    expect(await statesAbout(during)).toEqual(['disabled']);
  });

  it('may be deleted while its receiver answers 410', async () => {
    const entries = Array.from({ length: 12 }, () => newId('wl'));
    await notifications.happens(...entries.map(aboutEntry));
    let n = 0;
    notifications.sender.receive = async () => {
      n += 1;
      return n % 3 === 0 ? accepted(200, null) : failed('http_error', { responseStatus: 410, final: true });
    };
    await Promise.all([notifications.deliverDue(), ...entries.map(remove)]);
    for (const entry of entries) expect(await statesAbout(entry)).not.toEqual(['pending']);
  });
});
