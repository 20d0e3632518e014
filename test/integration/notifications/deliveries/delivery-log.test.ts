import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DAY, HOUR } from '../../../../src/kernel/clock.js';
import { accepted, failed } from '../../../../src/notifications/index.js';
import { running } from '../../../support/running.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

const notifications = running(() => NotificationService.start());
let channel: string;
const lines: { readonly level: string; readonly about: unknown; readonly text: unknown }[] = [];
beforeEach(async () => {
  channel = await notifications.openChannel('receiver');
  for (const level of ['warn', 'log', 'debug'] as const)
    jest.spyOn(Logger.prototype, level).mockImplementation((about: unknown, text: unknown) => {
      if (JSON.stringify(about).includes(channel)) lines.push({ level, about, text });
    });
});
afterEach(async () => {
  jest.restoreAllMocks();
  lines.length = 0;
  await notifications.rows('delete from notification_channels');
});

const happens = async () => {
  await notifications.happens(notifications.event());
  await notifications.deliverDue();
};
/** The lines that an operator reads at the usual level. */
const told = () => lines.filter(({ level }) => level !== 'debug').map(({ level, text }) => `${level}: ${String(text)}`);

describe('the log of deliveries', () => {
  it('warns of a channel’s first failure only, and has a line when the channel recovers', async () => {
    notifications.sender.receive = () => failed('connect');
    await happens();
    const about = { channel, domain: 'lapsed.example', entry: expect.stringMatching(/^wl_/), outcome: 'connect' };
    expect(lines).toMatchObject([{ level: 'warn', about, text: 'a delivery attempt failed' }]);
    notifications.advance(HOUR);
    await happens();
    expect(told()).toEqual(['warn: a delivery attempt failed']);
    notifications.sender.receive = () => accepted(200, null);
    await happens();
    await happens();
    expect(told().slice(1)).toEqual(['log: a channel that failed is reached again']);
    notifications.sender.receive = () => failed('connect');
    await happens();
    expect(told().slice(2)).toEqual(['warn: a delivery attempt failed']);
  });

  it('does not warn of a channel when the failure is Namewatch’s own', async () => {
    notifications.sender.receive = () => failed('connect', { fault: 'service' });
    await happens();
    expect(told()).toEqual([]);
  });

  it('does not warn again of a channel that failed before the process started', async () => {
    await notifications.rows('update notification_channels set first_failure_at = now() where id = $1', [channel]);
    notifications.sender.receive = () => failed('timeout');
    await happens();
    expect(told()).toEqual([]);
  });

  it('warns once when a channel is disabled, with the reason', async () => {
    notifications.sender.receive = () => failed('connect');
    for (let day = 0; day <= 5; day += 1) {
      await happens();
      notifications.advance(DAY + HOUR);
    }
    expect(told().filter((line) => line.startsWith('warn'))).toEqual([
      'warn: a delivery attempt failed',
      'warn: a channel was disabled: failing',
    ]);
  });
});
