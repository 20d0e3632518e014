import { describe, expect, it } from '@jest/globals';
import { toAlert, severityOf } from '../../../../../src/notifications/domain/formats/alert.js';
import type { WatchlistEventData } from '../../../../../src/watchlist/language.js';
import { aChange } from '../../../../support/builders/notification-events.js';

const ENTRY = 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx';
const eventOf = (type: string, data: object) => ({ type, body: JSON.stringify({ data }) });
const change = (type: string, changes: Partial<WatchlistEventData>) => eventOf(`watchlist.${type}`, aChange(changes));
const registered = { status: 'registered', phase: 'registered' } as const;

/** A reminder of the 90th day that comes later than that. */
const LATE = { ...registered, move: null, threshold_days: 90, purpose: 'own' } as const;

describe('the incident alert for an event', () => {
  it.each<[string, Partial<WatchlistEventData>, string]>([
    ['available', {}, 'trigger'],
    ['status_changed', { status: 'expiring', phase: 'expiring', move: 'expiring' }, 'trigger'],
    ['phase_changed', { ...registered, phase: 'hold', move: 'phase_changed' }, 'trigger'],
    ['expiring', { ...registered, move: null, threshold_days: 60 }, 'trigger'],
    ['status_changed', { ...registered, move: 'renewed' }, 'resolve'],
    ['status_changed', { ...registered, move: 'restored' }, 'resolve'],
    ['status_changed', { ...registered, move: 'caught', purpose: 'acquire' }, 'resolve'],
    ['status_changed', { ...registered, move: 'caught', purpose: 'own' }, 'trigger'],
    ['status_changed', { ...registered, phase: 'reserved', move: 'withdrawn' }, 'resolve'],
  ])('triggers or resolves the status incident: %s with %j gives %s', (type, changes, action) => {
    expect(toAlert(change(type, changes))).toEqual({ key: `${ENTRY}/status`, action, source: 'lapsed.example' });
  });

  it('has the same key for failed checks and for the recovery that resolves them', () => {
    const failing = toAlert(change('check_failing', { move: null }));
    const recovered = toAlert(change('check_recovered', { move: null }));
    expect(failing).toEqual({ key: `${ENTRY}/check`, action: 'trigger', source: 'lapsed.example' });
    expect(recovered).toEqual({ ...failing, action: 'resolve' });
  });

  it('has the same key for unexpected record values and for the return to expected ones', () => {
    const drift = { ...aChange({ ...registered, move: null }), drift: ['nameservers'], previous_drift: [] };
    const key = { key: `${ENTRY}/drift`, source: 'lapsed.example' };
    expect(toAlert(eventOf('watchlist.drift_changed', drift))).toEqual({ ...key, action: 'trigger' });
    const over = { ...drift, drift: [], previous_drift: ['nameservers'] };
    expect(toAlert(eventOf('watchlist.drift_changed', over))).toEqual({ ...key, action: 'resolve' });
    const severities = [{ ...drift, purpose: 'own' }, drift, over].map((data) =>
      severityOf(eventOf('watchlist.drift_changed', data)),
    );
    expect(severities).toEqual(['error', 'warning', 'info']);
  });

  it('names the channel in key and source if the event is about a channel', () => {
    const data = { channel_id: 'nc_1' };
    expect(toAlert(eventOf('channel.disabled', data))).toEqual({
      key: 'nc_1/disabled',
      action: 'trigger',
      source: 'nc_1',
    });
    expect(toAlert(eventOf('channel.test', data))).toMatchObject({ key: 'nc_1/test', action: 'trigger' });
  });
});

describe('the severity of an event', () => {
  it.each<[string, Partial<WatchlistEventData>, string]>([
    ['available', { purpose: 'own' }, 'critical'],
    ['available', { purpose: 'acquire' }, 'critical'],
    ['available', { purpose: 'monitor' }, 'warning'],
    ['status_changed', { ...registered, move: 'caught', purpose: 'own' }, 'critical'],
    ['status_changed', { ...registered, move: 'renewed', purpose: 'own' }, 'info'],
    ['phase_changed', { ...registered, phase: 'hold', move: 'phase_changed', purpose: 'own' }, 'error'],
    ['status_changed', { status: 'pending_delete', phase: 'redemption', purpose: 'own' }, 'critical'],
    ['status_changed', { status: 'pending_delete', phase: 'redemption', purpose: 'acquire' }, 'warning'],
    ['expiring', { ...registered, move: null, threshold_days: 60, purpose: 'own' }, 'warning'],
    ['expiring', { status: 'expiring', phase: 'expiring', move: null, threshold_days: 7, purpose: 'own' }, 'error'],
    ['expiring', { ...registered, move: null, threshold_days: 7, purpose: 'monitor' }, 'info'],
    ['expiring', { ...LATE, expires_at: '2026-11-28T09:00:00.000Z' }, 'error'],
    ['expiring', { ...LATE, expires_at: '2026-12-28T09:00:00.000Z' }, 'warning'],
    ['expiring', { ...LATE, renewal: { on: '2026-11-30', note: null } }, 'error'],
    ['record_changed', { ...registered, move: null, purpose: 'own' }, 'error'],
    ['record_changed', { ...registered, move: null, purpose: 'monitor' }, 'info'],
    ['check_failing', { move: null }, 'warning'],
    ['check_recovered', { move: null, purpose: 'own' }, 'info'],
  ])('depends on type, status and purpose: %s with %j is %s', (type, changes, severity) => {
    expect(severityOf(change(type, changes))).toBe(severity);
  });
});
