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
    [['watchlist.record_changed'], 'watchlist.drift_changed', false],
  ])('with the filter %j accepts %s: %s', (eventTypes, type, wanted) => {
    expect(aChannel({ eventTypes }).accepts(type, [])).toBe(wanted);
  });

  it('accepts types that are not sent by default only if its filter names them', () => {
    const accepts = (eventTypes: readonly string[]) =>
      aChannel({ eventTypes }).accepts('watchlist.record_changed', [], false);
    expect([[], ['watchlist.available'], ['watchlist.record_changed'], ['watchlist.*']].map(accepts)).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it('accepts events of entries with one of its tags, or of all entries when it has none', () => {
    expect(aChannel({ tags: ['brand', 'own'] }).accepts('watchlist.available', ['own', 'x'])).toBe(true);
    expect(aChannel({ tags: ['brand'] }).accepts('watchlist.available', ['own'])).toBe(false);
    expect(aChannel({ tags: ['brand'] }).accepts('watchlist.available', [])).toBe(false);
    expect(aChannel().accepts('watchlist.available', ['own'])).toBe(true);
  });

  it('becomes inactive at the first failure after five days of failures only', () => {
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

  it('stays active after five days of failures if its receiver has accepted another event', () => {
    const channel = aChannel();
    channel.recordOutcomes([refused], MONDAY, TimeUnits.REAL);
    channel.recordOutcomes([refused, ok], after(MONDAY, 5 * DAY), TimeUnits.REAL);
    expect(channel).toMatchObject({ active: true, firstFailureAt: null });
    channel.recordOutcomes([ok, gone], after(MONDAY, 6 * DAY), TimeUnits.REAL);
    expect(channel).toMatchObject({ active: false, reason: 'gone' });
  });

  it('accepts events about other channels whatever its tags, if its types include them', () => {
    expect(aChannel({ tags: ['brand'] }).accepts('channel.disabled', [])).toBe(true);
    expect(aChannel({ eventTypes: ['watchlist.*'] }).accepts('channel.disabled', [])).toBe(false);
  });

  it('records no event when its account disables it', () => {
    const channel = aChannel();
    channel.disable(MONDAY);
    expect(channel.releaseEvents()).toEqual([]);
  });

  it.each<[string, (readonly [AttemptOutcome, number])[], Partial<NotificationChannel>]>([
    [
      'counts failures from the first one',
      [
        [refused, 0],
        [refused, 1],
      ],
      { active: true, firstFailureAt: MONDAY },
    ],
    [
      'forgets failures at a success',
      [
        [refused, 0],
        [ok, 2],
      ],
      { active: true, firstFailureAt: null },
    ],
    [
      'stays active when one attempt succeeds between',
      [
        [refused, 0],
        [ok, 4],
        [refused, 5],
        [refused, 8],
      ],
      { active: true },
    ],
    [
      'stays active during failures of the service, however long',
      [
        [refused, 0],
        [ours, 9],
      ],
      { active: true },
    ],
    ['does not count failures that the administrator has to fix', [[ours, 0]], { firstFailureAt: null }],
    [
      'becomes inactive at 410 with a reason',
      [[gone, 0]],
      { active: false, reason: 'gone', reasonDetail: '410 Gone', disabledAt: MONDAY },
    ],
    [
      'becomes inactive when its receiver says so otherwise, in its words',
      [[failed('http_error', { responseStatus: 401, gone: 'the token was revoked' }), 0]],
      { active: false, reason: 'gone', reasonDetail: 'the token was revoked' },
    ],
    [
      'keeps the time of the first 410',
      [
        [gone, 0],
        [gone, 1],
      ],
      { disabledAt: MONDAY },
    ],
    ['stays active at 401', [[failed('http_error', { responseStatus: 401 }), 0]], { active: true }],
    ['stays active at 404', [[failed('http_error', { responseStatus: 404 }), 0]], { active: true }],
    ['stays active at 500', [[failed('http_error', { responseStatus: 500 }), 0]], { active: true }],
  ])('%s', (_, outcomes, expected) => {
    const channel = aChannel();
    for (const [outcome, day] of outcomes) channel.recordOutcomes([outcome], after(MONDAY, day * DAY), TimeUnits.REAL);
    expect(channel).toMatchObject(expected);
    expect(channel.accepts('watchlist.available', [])).toBe(channel.active);
  });
});
