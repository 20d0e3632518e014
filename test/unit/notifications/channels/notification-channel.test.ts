import { describe, expect, it } from '@jest/globals';
import { after, DAY } from '../../../../src/kernel/clock.js';
import { TimeUnits } from '../../../../src/kernel/time-units.js';
import { accepted, type AttemptOutcome, failed } from '../../../../src/notifications/domain/attempt.js';
import { NotificationChannel, type ChannelFilters } from '../../../../src/notifications/domain/notification-channel.js';
import { MONDAY } from '../../../support/builders/notification-events.js';

const target = { asSent: 'https://Hooks.example', canonical: 'https://hooks.example/' };
const aChannel = (wanted?: ChannelFilters) => NotificationChannel.open('acc_1', 'webhook', target, MONDAY, wanted);
const [ok, refused, ours] = [accepted(200, null), failed('connect'), failed('connect', { fault: 'service' })];
const gone = failed('http_error', { responseStatus: 410, final: true });

describe('a notification channel', () => {
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
    [['watchlist.record_changed'], 'watchlist.drift_changed', false],
  ])('decides by its event filter %j if it accepts %s: %s', (eventTypes, type, wanted) => {
    expect(aChannel({ eventTypes }).accepts(type, [])).toBe(wanted);
  });

  it('accepts an event type that is off by default only if its event filter includes that type', () => {
    const accepts = (eventTypes: readonly string[]) =>
      aChannel({ eventTypes }).accepts('watchlist.record_changed', [], false);
    expect([[], ['watchlist.available'], ['watchlist.record_changed'], ['watchlist.*']].map(accepts)).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it('accepts events of entries that share a tag, or of all entries if it has no tags', () => {
    expect(aChannel({ tags: ['brand', 'own'] }).accepts('watchlist.available', ['own', 'x'])).toBe(true);
    expect(aChannel({ tags: ['brand'] }).accepts('watchlist.available', ['own'])).toBe(false);
    expect(aChannel({ tags: ['brand'] }).accepts('watchlist.available', [])).toBe(false);
    expect(aChannel().accepts('watchlist.available', ['own'])).toBe(true);
  });

  it('becomes inactive once all deliveries have failed for five days, and records an event about that', () => {
    const channel = aChannel();
    channel.recordOutcomes([refused], MONDAY, TimeUnits.REAL);
    channel.recordOutcomes([refused], after(MONDAY, 5 * DAY - 1), TimeUnits.REAL);
    expect(channel.active).toBe(true);
    channel.recordOutcomes([refused], after(MONDAY, 5 * DAY), TimeUnits.REAL);
    expect(channel).toMatchObject({ active: false, reason: 'failing' });
    expect(channel.releaseEvents()).toMatchObject([
      { type: 'channel.disabled', payload: { channel_id: channel.id, type: 'webhook', reason: 'failing' } },
    ]);
  });

  it('stays active after five days of failures if one delivery succeeds, unless another gets a 410', () => {
    const channel = aChannel();
    channel.recordOutcomes([refused], MONDAY, TimeUnits.REAL);
    channel.recordOutcomes([refused, ok], after(MONDAY, 5 * DAY), TimeUnits.REAL);
    expect(channel).toMatchObject({ active: true, firstFailureAt: null });
    channel.recordOutcomes([ok, gone], after(MONDAY, 6 * DAY), TimeUnits.REAL);
    expect(channel).toMatchObject({ active: false, reason: 'gone' });
  });

  it('accepts events about channels whatever its tags, if its event filter includes their type', () => {
    expect(aChannel({ tags: ['brand'] }).accepts('channel.disabled', [])).toBe(true);
    expect(aChannel({ eventTypes: ['watchlist.*'] }).accepts('channel.disabled', [])).toBe(false);
  });

  it('records no event when its account disables the channel', () => {
    const channel = aChannel();
    channel.disable(MONDAY);
    expect(channel.releaseEvents()).toEqual([]);
  });

  it.each<[string, (readonly [AttemptOutcome, number])[], Partial<NotificationChannel>]>([
    [
      'keeps the time of the first failure when a second follows',
      [
        [refused, 0],
        [refused, 1],
      ],
      { active: true, firstFailureAt: MONDAY },
    ],
    [
      'forgets earlier failures when an attempt succeeds',
      [
        [refused, 0],
        [ok, 2],
      ],
      { active: true, firstFailureAt: null },
    ],
    [
      'stays active after eight days with failures if one attempt succeeded in between',
      [
        [refused, 0],
        [ok, 4],
        [refused, 5],
        [refused, 8],
      ],
      { active: true },
    ],
    [
      'stays active if Namewatch itself causes the failures, even after nine days',
      [
        [refused, 0],
        [ours, 9],
      ],
      { active: true },
    ],
    ['does not count a failure that Namewatch itself causes', [[ours, 0]], { firstFailureAt: null }],
    [
      'becomes inactive when its receiver answers 410, and keeps the reason',
      [[gone, 0]],
      { active: false, reason: 'gone', reasonDetail: '410 Gone', disabledAt: MONDAY },
    ],
    [
      'becomes inactive when its receiver reports a revoked token, and quotes that report',
      [[failed('http_error', { responseStatus: 401, gone: 'the token was revoked' }), 0]],
      { active: false, reason: 'gone', reasonDetail: 'the token was revoked' },
    ],
    [
      'keeps the time of the first 410 answer when a second follows',
      [
        [gone, 0],
        [gone, 1],
      ],
      { disabledAt: MONDAY },
    ],
    [
      'stays active when its receiver answers 401',
      [[failed('http_error', { responseStatus: 401 }), 0]],
      { active: true },
    ],
    [
      'stays active when its receiver answers 404',
      [[failed('http_error', { responseStatus: 404 }), 0]],
      { active: true },
    ],
    [
      'stays active when its receiver answers 500',
      [[failed('http_error', { responseStatus: 500 }), 0]],
      { active: true },
    ],
  ])('%s', (_, outcomes, expected) => {
    const channel = aChannel();
    for (const [outcome, day] of outcomes) channel.recordOutcomes([outcome], after(MONDAY, day * DAY), TimeUnits.REAL);
    expect(channel).toMatchObject(expected);
    expect(channel.accepts('watchlist.available', [])).toBe(channel.active);
  });
});
