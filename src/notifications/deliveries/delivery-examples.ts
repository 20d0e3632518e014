import type { DeliveriesView, DeliveryView } from './delivery-view.js';

const AT = '2026-11-21T02:00:00.000Z';
const DELIVERED: DeliveryView = {
  id: 'dl_01jd6z0v8q3m4n5p6r7s8t9vwx',
  event_id: 'evt_01jd6z0v8q3m4n5p6r7s8t9vwx',
  event_type: 'watchlist.available',
  entry_id: 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx',
  domain: 'available.test',
  domain_unicode: 'available.test',
  status: 'available',
  previous_status: 'pending_delete',
  phase: 'available',
  previous_phase: 'pending_delete',
  move: 'dropped',
  kind: null,
  threshold_days: null,
  channel_id: 'nc_01jd6z0v8q3m4n5p6r7s8t9vwx',
  state: 'delivered',
  next_attempt_at: null,
  created_at: AT,
  attempts: [
    { number: 1, started_at: AT, duration_ms: 84, outcome: 'ok', response_status: 204, response_excerpt: null },
  ],
};

export const DELIVERIES_EXAMPLES = {
  one: {
    summary: 'Delivered at the first attempt',
    value: { data: [DELIVERED], meta: { page: 1, per_page: 20, total: 1 } } satisfies DeliveriesView,
  },
};
export const TEST_EXAMPLES = {
  test: {
    summary: 'Pending',
    value: {
      ...DELIVERED,
      ...{ entry_id: null, domain: null, domain_unicode: null, status: null, previous_status: null, phase: null },
      ...{
        previous_phase: null,
        move: null,
        event_type: 'channel.test',
        state: 'pending',
        next_attempt_at: AT,
        attempts: [],
      },
    } satisfies DeliveryView,
  },
};
export const REDELIVER_EXAMPLES = {
  again: {
    summary: 'Pending again',
    value: { ...DELIVERED, state: 'pending', next_attempt_at: AT } satisfies DeliveryView,
  },
};
export const REPLAY_BODIES = {
  day: { summary: 'One day', value: { from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' } },
};
export const REPLAY_EXAMPLES = { some: { summary: 'Twelve deliveries', value: { count: 12 } } };
