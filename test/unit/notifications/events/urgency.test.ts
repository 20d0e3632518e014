import { describe, expect, it } from '@jest/globals';
import { NotificationEvent } from '../../../../src/notifications/domain/notification-event.js';
import { isUrgent } from '../../../../src/notifications/domain/event-type.js';
import { anEvent } from '../../../support/builders/notification-events.js';

const ENTERED = (phase: string) => ({ status: 'pending_delete', phase, previous_phase: 'registered', move: null });
const LOCKED = ['client transfer prohibited'];

describe('an event', () => {
  it.each<[boolean, string, object]>([
    [true, 'available', { intent: 'monitor' }],
    [true, 'phase_changed', { ...ENTERED('pending_delete'), intent: 'acquire' }],
    [true, 'status_changed', { ...ENTERED('redemption'), intent: 'own' }],
    [false, 'status_changed', { ...ENTERED('redemption'), intent: 'acquire' }],
    [true, 'phase_changed', { ...ENTERED('hold'), status: 'registered', intent: 'own' }],
    [false, 'status_changed', { ...ENTERED('hold'), status: 'expiring', previous_phase: 'hold' }],
    [false, 'status_changed', { ...ENTERED('registered'), status: 'registered', move: 'renewed', intent: 'own' }],
    [true, 'record_changed', { kind: 'nameservers', before: ['ns1.a'], after: ['ns1.b'], intent: 'own' }],
    [false, 'record_changed', { kind: 'nameservers', before: ['ns1.a'], after: ['ns1.b'], intent: 'monitor' }],
    [true, 'record_changed', { kind: 'statuses', before: LOCKED, after: ['active'], intent: 'own' }],
    [false, 'record_changed', { kind: 'statuses', before: LOCKED, after: ['active', ...LOCKED], intent: 'own' }],
    [true, 'record_changed', { kind: 'last_transfer', before: '2026-01-01', after: '2026-11-23', intent: 'own' }],
    [false, 'record_changed', { kind: 'ds', before: [], after: [], intent: 'own' }],
    [true, 'drift_changed', { drift: ['locked'], previous_drift: [], intent: 'own' }],
    [false, 'drift_changed', { drift: ['locked'], previous_drift: [], intent: 'monitor' }],
    [false, 'drift_changed', { drift: ['locked'], previous_drift: ['locked', 'nameservers'], intent: 'own' }],
    [false, 'expiring', { threshold_days: 1, intent: 'own' }],
    [false, 'check_failing', { intent: 'own' }],
  ])('is urgent (%s): %s with %j', (urgent, type, data) => {
    const event = anEvent(data, { type: `watchlist.${type}` });
    expect(isUrgent(NotificationEvent.fromDomainEvent(event))).toBe(urgent);
  });

  it('about a channel is not urgent, but for a test, which somebody waits for', () => {
    const body = '{"data":{"channel_id":"nc_1"}}';
    expect(['channel.disabled', 'channel.test'].map((type) => isUrgent({ type, body }))).toEqual([false, true]);
  });
});
