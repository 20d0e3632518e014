import { describe, expect, it } from '@jest/globals';
import { after, DAY } from '../../../../src/kernel/clock.js';
import { accepted, failed } from '../../../../src/notifications/domain/attempt.js';
import { NotificationChannel, type ChannelFilters } from '../../../../src/notifications/domain/notification-channel.js';
import { MONDAY } from '../../../support/builders/notification-events.js';

const target = { asSent: 'https://Hooks.example', canonical: 'https://hooks.example/' };
const aChannel = (wanted?: ChannelFilters) => NotificationChannel.open('acc_1', 'webhook', target, MONDAY, wanted);
const refused = failed('connect');

describe('a channel', () => {
  it('starts active and keeps its target as entered', () => {
    const channel = aChannel();
    expect(channel).toMatchObject({ active: true, target: 'https://Hooks.example', reason: null });
    expect(channel.canonicalTarget).toBe('https://hooks.example/');
    expect(channel.id).toMatch(/^nc_[0-9a-z]{26}$/);
  });

  it.each([
    [[], 'watchlist.available', true],
    [['watchlist.available'], 'watchlist.available', true],
    [['watchlist.available'], 'watchlist.status_changed', false],
    [['watchlist.status_changed'], 'watchlist.status_changed', true],
    [['watchlist.status_changed'], 'watchlist.available', true],
    [['watchlist.status_changed'], 'watchlist.phase_changed', false],
    [['watchlist.*'], 'watchlist.check_failing', true],
    [['watchlist.*'], 'channel.test', false],
    [['channel.disabled', 'watchlist.expiring'], 'watchlist.expiring', true],
    [['watchlist.record_changed'], 'watchlist.mass_change', true],
    [['watchlist.mass_change'], 'watchlist.record_changed', false],
  ])('with the filter %j accepts %s: %s', (eventTypes, type, wanted) => {
    expect(aChannel({ eventTypes }).accepts(type, [])).toBe(wanted);
  });

  it('accepts what is not sent by default only where it names the type', () => {
    const accepts = (eventTypes: readonly string[]) =>
      aChannel({ eventTypes }).accepts('watchlist.record_changed', [], false);
    expect([[], ['watchlist.available'], ['watchlist.record_changed'], ['watchlist.*']].map(accepts)).toEqual([
      ...[false, false, true, true],
    ]);
  });

  it('accepts events of entries with one of its tags, or of all entries when it has none', () => {
    expect(aChannel({ tags: ['brand', 'own'] }).accepts('watchlist.available', ['own', 'x'])).toBe(true);
    expect(aChannel({ tags: ['brand'] }).accepts('watchlist.available', ['own'])).toBe(false);
    expect(aChannel({ tags: ['brand'] }).accepts('watchlist.available', [])).toBe(false);
    expect(aChannel().accepts('watchlist.available', ['own'])).toBe(true);
  });

  it('counts failures from the first one, and clears them at a success', () => {
    const channel = aChannel();
    channel.recordOutcome(refused, MONDAY);
    channel.recordOutcome(refused, after(MONDAY, DAY));
    expect(channel.firstFailureAt).toEqual(MONDAY);
    channel.recordOutcome(accepted(200, null), after(MONDAY, 2 * DAY));
    expect(channel).toMatchObject({ firstFailureAt: null, active: true });
  });

  it('becomes inactive at the first failure after five days of failures only', () => {
    const channel = aChannel();
    channel.recordOutcome(refused, MONDAY);
    channel.recordOutcome(refused, after(MONDAY, 5 * DAY - 1));
    expect(channel.active).toBe(true);
    channel.recordOutcome(refused, after(MONDAY, 5 * DAY));
    expect(channel).toMatchObject({ active: false, reason: 'failing' });
    expect(channel.releaseEvents()).toMatchObject([
      { type: 'channel.disabled', payload: { channel_id: channel.id, type: 'webhook', reason: 'failing' } },
    ]);
  });

  it('stays active when one attempt succeeds between failures', () => {
    const channel = aChannel();
    channel.recordOutcome(refused, MONDAY);
    channel.recordOutcome(accepted(200, null), after(MONDAY, 4 * DAY));
    channel.recordOutcome(refused, after(MONDAY, 4 * DAY + 1));
    channel.recordOutcome(refused, after(MONDAY, 8 * DAY));
    expect(channel.active).toBe(true);
  });

  it('stays active during failures of the service, however long', () => {
    const channel = aChannel();
    const ours = failed('connect', { fault: 'service' });
    channel.recordOutcome(refused, MONDAY);
    channel.recordOutcome(ours, after(MONDAY, 9 * DAY));
    expect(channel.active).toBe(true);
  });

  it('accepts events about other channels whatever its tags, if its types allow', () => {
    expect(aChannel({ tags: ['brand'] }).accepts('channel.disabled', [])).toBe(true);
    expect(aChannel({ eventTypes: ['watchlist.*'] }).accepts('channel.disabled', [])).toBe(false);
  });

  it('records no event when its account disables it', () => {
    const channel = aChannel();
    channel.disable(MONDAY);
    expect(channel.releaseEvents()).toEqual([]);
  });

  it('does not count failures that the administrator has to fix', () => {
    const channel = aChannel();
    channel.recordOutcome(failed('mail_not_configured', { final: true, fault: 'service' }), MONDAY);
    expect(channel.firstFailureAt).toBeNull();
  });

  it('becomes inactive at 410 with a reason, and accepts nothing any more', () => {
    const channel = aChannel();
    channel.recordOutcome(failed('http_error', { responseStatus: 410, final: true }), MONDAY);
    expect(channel).toMatchObject({ active: false, reason: 'gone', disabledAt: MONDAY });
    expect(channel.accepts('watchlist.available', [])).toBe(false);
  });

  it('keeps the first reason and time at a second 410', () => {
    const channel = aChannel();
    const gone = failed('http_error', { responseStatus: 410, final: true });
    channel.recordOutcome(gone, MONDAY);
    channel.recordOutcome(gone, after(MONDAY, DAY));
    expect(channel.disabledAt).toEqual(MONDAY);
  });

  it.each([404, 401, 500])('stays active at %i', (responseStatus) => {
    const channel = aChannel();
    channel.recordOutcome(failed('http_error', { responseStatus }), MONDAY);
    expect(channel.active).toBe(true);
  });
});
