import { exampleEvents } from '../../watchlist/language.js';
import { channelDisabled, channelTest } from '../domain/channel-events.js';
import type { EventType } from '../domain/event-type.js';
import { summaryEvent } from '../domain/summary.js';
import { NotificationEvent } from '../domain/notification-event.js';

const AT = new Date('2026-12-26T09:00:00.000Z');
const NONE = { count: 0, domains: [] };
const SUMMARY = {
  ...{ names: 300, dueAt: AT, lost: NONE, about_to_be_deleted: NONE, available_and_wanted: NONE, in_redemption: NONE },
  in_grace: { count: 2, domains: ['first-brand.test', 'second-brand.test'] },
  expires_within_30_days: { count: 1, domains: ['third-brand.test'] },
  ...{ not_as_expected: NONE, failing: NONE, never_answered: NONE, renewals: NONE },
};
const CHANNEL = 'nc_01jd6z0v8q3m4n5p6r7s8t9vwx';

/** One event of every type with fixed ids, made by the same code as real events. */
export const EXAMPLE_EVENTS = Object.fromEntries(
  [...exampleEvents(), ...channelEvents()].map((event) => [event.type, NotificationEvent.fromDomainEvent(event)]),
) as Readonly<Record<EventType, NotificationEvent>>;

function channelEvents() {
  const [{ accountId = '' } = {}] = exampleEvents();
  const other = { id: 'nc_01jd6z0v8q3m4n5p6r7s8t9vwy', accountId, type: 'webhook', label: 'Shop team' };
  return [
    {
      ...summaryEvent({ id: CHANNEL, accountId, label: 'Shop team' }, SUMMARY, AT),
      id: 'evt_01jd6z0v8q3m4n5p6r7s8t9vw7',
    },
    { ...channelDisabled(other, { reason: 'gone', detail: '410 Gone' }, AT), id: 'evt_01jd6z0v8q3m4n5p6r7s8t9vw8' },
    { ...channelTest(accountId, CHANNEL, AT), id: 'evt_01jd6z0v8q3m4n5p6r7s8t9vw9' },
  ];
}
