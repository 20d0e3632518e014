import { describe, expect, it } from '@jest/globals';
import { Clock, DAY } from '../../../../src/kernel/clock.js';
import { accepted, failed } from '../../../../src/notifications/index.js';
import { anEvent } from '../../../support/builders/notification-events.js';
import { running } from '../../../support/running.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

const notifications = running(() => NotificationService.start());

const deliveriesAbout = async (accountId: string) => {
  const rows = await notifications.rows(
    `select d.channel_id, e.body from events e left join deliveries d on d.event_id = e.id
     where e.account_id = $1 and e.type = 'channel.disabled'`,
    [accountId],
  );
  return rows.map(({ channel_id, body }) => ({
    channel: channel_id,
    data: (JSON.parse(String(body)) as { data: object }).data,
  }));
};

/** An account with a channel that fails, another that works, and one whose filters reject such events. */
const anAccount = async () => {
  const { id, key } = await notifications.service.openAccount();
  const [failing, working, filtered] = [
    await notifications.openChannel('failing', key),
    await notifications.openChannel('working', key),
    await notifications.openChannel('filtered', key),
  ];
  await notifications.rows(`update notification_channels set tags = '{brand}' where id = $1`, [working]);
  await notifications.rows(`update notification_channels set event_types = '{watchlist.*}' where id = $1`, [filtered]);
  return { id, failing, working };
};
const happens = (accountId: string) =>
  notifications.happens(anEvent({}, { accountId, at: notifications.of(Clock).now() }));
const readActive = async (channel: string) =>
  (await notifications.rows('select active, reason from notification_channels where id = $1', [channel]))[0];

describe('a notification channel', () => {
  it('is disabled after five days of failures, and the account’s other channels are told', async () => {
    const { id, failing, working } = await anAccount();
    notifications.sender.receive = ({ channel }) => (channel.id === failing ? failed('connect') : accepted(200, null));
    for (let day = 0; day <= 5; day += 1) {
      expect(await readActive(failing)).toEqual({ active: true, reason: null });
      await happens(id);
      await notifications.deliverDue();
      notifications.advance(DAY);
    }
    expect(await readActive(failing)).toEqual({ active: false, reason: 'failing' });
    const data = { channel_id: failing, type: 'scripted', label: null, reason: 'failing', detail: null };
    expect(await deliveriesAbout(id)).toEqual([{ channel: working, data }]);
    const states = await notifications.rows('select distinct state from deliveries where channel_id = $1', [failing]);
    expect(states.map(({ state }) => state)).not.toContain('pending');
  });

  it('is not counted as failing when it accepts one event and refuses another', async () => {
    const { id, failing } = await anAccount();
    await happens(id);
    await happens(id);
    let attempts = 0;
    notifications.sender.receive = ({ channel }) =>
      channel.id === failing && (attempts += 1) === 1 ? failed('timeout') : accepted(200, null);
    await notifications.deliverDue();
    const health = 'select first_failure_at from notification_channels where id = $1';
    expect(await notifications.rows(health, [failing])).toEqual([{ first_failure_at: null }]);
  });

  it('is announced as disabled only once, however many deliveries got a 410 answer', async () => {
    const { id, failing, working } = await anAccount();
    notifications.sender.receive = ({ channel }) =>
      channel.id === failing ? failed('http_error', { responseStatus: 410, final: true }) : accepted(200, null);
    for (let n = 0; n < 5; n += 1) await happens(id);
    await notifications.deliverDue();
    const data = { channel_id: failing, type: 'scripted', label: null, reason: 'gone', detail: '410 Gone' };
    expect(await deliveriesAbout(id)).toEqual([{ channel: working, data }]);
  });

  it('stays active when it rejects only events about other channels', async () => {
    const { id, failing, working } = await anAccount();
    notifications.sender.receive = () => failed('http_error', { responseStatus: 410, final: true });
    await happens(id);
    const claims = await notifications.claim();
    for (const batch of claims.filter(({ channel }) => channel.id === failing)) await notifications.deliver(batch);
    await notifications.endLeases();
    await notifications.rows(
      `delete from deliveries where channel_id = $1 and event_id in (
      select id from events where type <> 'channel.disabled')`,
      [working],
    );
    await notifications.deliverDue();
    expect(await readActive(working)).toEqual({ active: true, reason: null });
  });
});
