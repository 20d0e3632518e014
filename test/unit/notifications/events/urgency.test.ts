import { describe, expect, it } from '@jest/globals';
import { NotificationEvent } from '../../../../src/notifications/domain/notification-event.js';
import { isUrgent } from '../../../../src/notifications/domain/event-type.js';
import { anEvent } from '../../../support/builders/notification-events.js';

const ENTERED = (phase: string) => ({ status: 'pending_delete', phase, previous_phase: 'registered', move: null });
const LOCKED = ['client transfer prohibited'];

describe('a notification event', () => {
  it.each<[boolean, string, object]>([
    [true, 'available', { purpose: 'monitor' }],
    [true, 'phase_changed', { ...ENTERED('pending_delete'), purpose: 'acquire' }],
    [true, 'status_changed', { ...ENTERED('redemption'), purpose: 'own' }],
    [false, 'status_changed', { ...ENTERED('redemption'), purpose: 'acquire' }],
    [true, 'phase_changed', { ...ENTERED('hold'), status: 'registered', purpose: 'own' }],
    [false, 'status_changed', { ...ENTERED('hold'), status: 'expiring', previous_phase: 'hold' }],
    [false, 'status_changed', { ...ENTERED('registered'), status: 'registered', move: 'renewed', purpose: 'own' }],
    [true, 'record_changed', { kind: 'nameservers', before: ['ns1.a'], after: ['ns1.b'], purpose: 'own' }],
    [false, 'record_changed', { kind: 'nameservers', before: ['ns1.a'], after: ['ns1.b'], purpose: 'monitor' }],
    [true, 'record_changed', { kind: 'statuses', before: LOCKED, after: ['active'], purpose: 'own' }],
    [false, 'record_changed', { kind: 'statuses', before: LOCKED, after: ['active', ...LOCKED], purpose: 'own' }],
    [true, 'record_changed', { kind: 'last_transfer', before: '2026-01-01', after: '2026-11-23', purpose: 'own' }],
    [false, 'record_changed', { kind: 'ds', before: [], after: [], purpose: 'own' }],
    [true, 'drift_changed', { drift: ['locked'], previous_drift: [], purpose: 'own' }],
    [false, 'drift_changed', { drift: ['locked'], previous_drift: [], purpose: 'monitor' }],
    [false, 'drift_changed', { drift: ['locked'], previous_drift: ['locked', 'nameservers'], purpose: 'own' }],
    [false, 'expiring', { threshold_days: 1, purpose: 'own' }],
    [false, 'check_failing', { purpose: 'own' }],
  ])('is urgent according to type and data: %s for watchlist.%s with %j', (urgent, type, data) => {
    const event = anEvent(data, { type: `watchlist.${type}` });
    expect(isUrgent(NotificationEvent.fromDomainEvent(event))).toBe(urgent);
  });

  it('is urgent if it tests a channel, but not if it reports a disabled channel', () => {
    const body = '{"data":{"channel_id":"nc_1"}}';
    expect(['channel.disabled', 'channel.test'].map((type) => isUrgent({ type, body }))).toEqual([false, true]);
  });
});
