import { describe, expect, it } from '@jest/globals';
import type { Delivery } from '#client';
import { toDeliveryLines } from '../../../src/cli/commands/channel.js';

const delivery: Delivery = {
  event_id: 'evt_1',
  entry_id: 'wl_1',
  domain_unicode: 'lapsed.example',
  next_attempt_at: null,
  id: 'dl_1',
  event_type: 'watchlist.available',
  domain: 'lapsed.example',
  channel_id: 'nc_1',
  state: 'delivered',
  status: 'available',
  previous_status: 'pending_delete',
  phase: 'available',
  previous_phase: 'pending_delete',
  move: 'dropped',
  kind: null,
  threshold_days: null,
  created_at: '2026-11-23T09:00:00.000Z',
  attempts: [],
};
const lineOf = (changes: Partial<Delivery>) =>
  toDeliveryLines({ data: [{ ...delivery, ...changes }], meta: { page: 1, per_page: 20, total: 1 } })[1];

describe('what a delivery told, on the command line', () => {
  it('is the status before and after', () => {
    expect(lineOf({})).toMatch(/ pending delete -> available /);
  });

  it('is the first answer alone where nobody saw what was before', () => {
    const first = { move: 'discovered', previous_status: 'registered', previous_phase: 'registered' } as const;
    expect(lineOf(first)).toMatch(/ first answer: available /);
    expect(lineOf({ ...first, status: 'registered', phase: 'hold' })).toMatch(/ first answer: hold /);
  });
});
