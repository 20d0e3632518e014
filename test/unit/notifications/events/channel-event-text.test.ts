import { describe, expect, it } from '@jest/globals';
import { toChannelEventText } from '../../../../src/notifications/domain/event-text.js';

describe('the text of a channel event', () => {
  it('identifies a test', () => {
    const words = toChannelEventText({ channel_id: 'nc_1', message: 'This is a test.' });
    expect(words).toMatchObject({ headline: 'Test of a notification channel', advice: ['This is a test.'] });
  });

  it.each([
    ['gone', /410/],
    ['failing', /five days/],
    ['unsubscribed', /unsubscribed/],
    ['something new', /something new/],
  ])('say why a channel was disabled: %s', (reason, why) => {
    const words = toChannelEventText({ channel_id: 'nc_1', type: 'webhook', reason });
    expect(words.headline).toBe('A channel of type webhook was disabled');
    expect(words.advice[0]).toMatch(why);
    expect(words.facts).toEqual([{ label: 'Channel', value: 'nc_1' }]);
  });
});
