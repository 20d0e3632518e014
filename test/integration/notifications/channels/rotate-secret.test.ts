import { beforeAll, describe, expect, it } from '@jest/globals';
import { DAY, HOUR } from '../../../../src/kernel/clock.js';
import { accepted, ChannelSenderRegistry, type Message } from '../../../../src/notifications/index.js';
import { running } from '../../../support/running.js';
import { NotificationService } from '../../../support/servers/notification-service.js';
import { ScriptedSender } from '../../../support/fakes/scripted-sender.js';

class SigningSender extends ScriptedSender {
  override readonly type = 'signing' as never;
  override readonly secret = 'signing';
}

const notifications = running(() => NotificationService.start());
let channel: string;
let secret: string;
const signing = new SigningSender();
beforeAll(async () => {
  notifications.of(ChannelSenderRegistry).register(signing);
});

const open = async (target: string) => {
  const body = { type: 'signing', target };
  const opened = (await notifications.service.call({ method: 'POST', path: '/v1/notifications', body })).body;
  channel = String(opened['id']);
  secret = String(opened['secret']);
};
const rotate = (body?: unknown, id = channel) =>
  notifications.service.call({ method: 'POST', path: `/v1/notifications/${id}/rotate-secret`, body });
const rotated = async (body?: unknown) => String((await rotate(body)).body['secret']);
/** The secrets that sign now. */
const signers = async (): Promise<string[]> => {
  const message = new Promise<Message>((resolve) => {
    signing.receive = (sent) => {
      if (sent.channel.id === channel) resolve(sent);
      return accepted(200, null);
    };
  });
  await notifications.happens(notifications.event());
  await notifications.deliverDue();
  return (await message).channel.secrets.map(({ text }) => text);
};

describe('rotating a signing secret', () => {
  it('returns a new secret, and the old one also signs for another day', async () => {
    await open('a');
    const { status, body } = await rotate();
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['secret']);
    expect(body['secret']).toMatch(/^whsec_/);
    expect(await signers()).toEqual([body['secret'], secret]);
    notifications.advance(DAY - HOUR);
    expect(await signers()).toEqual([body['secret'], secret]);
    notifications.advance(2 * HOUR);
    expect(await signers()).toEqual([body['secret']]);
  });

  it('keeps three secrets at most: the fourth replaces the oldest', async () => {
    await open('b');
    const [second, third, fourth] = [await rotated(), await rotated(), await rotated({ grace_seconds: 604_800 })];
    expect(await signers()).toEqual([fourth, third, second]);
  });

  it('ends all older secrets at once with grace_seconds 0', async () => {
    await open('c');
    await rotated();
    const last = await rotated({ grace_seconds: 0 });
    expect(await signers()).toEqual([last]);
  });

  it('stores every secret encrypted', async () => {
    await open('d');
    const next = await rotated();
    const [row] = await notifications.rows('select * from notification_channels where id = $1', [channel]);
    expect(row?.['older_secrets']).toHaveLength(1);
    for (const clear of [secret, next]) expect(JSON.stringify(row)).not.toContain(clear.slice(6));
  });

  it.each([
    { grace_seconds: -1 },
    { grace_seconds: 604_801 },
    { grace_seconds: 1.5 },
    { grace_seconds: '60' },
    { a: 1 },
  ])('is refused with this request body: %j', async (body) => {
    await open(JSON.stringify(body));
    expect((await rotate(body)).status).toBe(400);
    expect(await signers()).toEqual([secret]);
  });

  it('is refused for a channel without a secret', async () => {
    const email = await notifications.openChannel('email without secret');
    expect((await rotate({}, email)).status).toBe(400);
  });
});
