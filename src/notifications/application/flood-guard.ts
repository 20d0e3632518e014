import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config.js';
import { Clock, HOUR } from '../../kernel/clock.js';
import { MailDigests } from '../domain/mail-digests.js';
import { hoursKeyOf, MailHours } from '../domain/mail-hour.js';
import { MailSender } from '../domain/mail-sender.js';
import { NotificationChannels } from '../domain/notification-channel.js';
import type { Undertaking } from './undertaking.js';

type Prospect = Pick<Undertaking, 'delivery' | 'channel' | 'sender'>;

/**
 * Keeps mailboxes from being flooded: what is too much in an hour waits for its end. Called inside the transaction that
 * begins attempts, whose deliveries are held.
 */
@Injectable()
export class FloodGuard {
  /** Milliseconds. */
  private readonly hour: number;

  constructor(
    private readonly hours: MailHours,
    private readonly digests: MailDigests,
    private readonly channels: NotificationChannels,
    private readonly clock: Clock,
    { timeScale }: Config,
  ) {
    this.hour = HOUR / timeScale;
  }

  /** Whether `admit` has to count it, or may keep it back. */
  minds(prospect: Prospect): boolean {
    return isNewMail(prospect) || isInDigest(prospect);
  }

  /** @returns those that may go out now; the others were given back, to go out in a digest. */
  async admit<P extends Prospect>(prospects: readonly P[]): Promise<readonly P[]> {
    const mails = Map.groupBy(prospects.filter(isNewMail), ({ channel }) => hoursKeyOf(channel));
    const held = new Set(prospects.filter(isInDigest).map(({ delivery }) => delivery.id));
    if (held.size > 0) await this.digests.giveBack([...held]);
    // In one order for everybody, so that nobody waits in a circle.
    for (const [mailbox, theirs] of [...mails].sort(([a], [b]) => (a < b ? -1 : 1)))
      for (const id of await this.holdExcess(mailbox, theirs)) held.add(id);
    return prospects.filter(({ delivery }) => !held.has(delivery.id));
  }

  /** Counts what goes out whatever the hour: the digest itself. */
  async count(channelId: string): Promise<void> {
    const [channel] = await this.channels.all([channelId]);
    if (!channel) return; // nor is there anything left to send
    const hour = await this.hours.locked(hoursKeyOf(channel), this.clock.now(), this.hour);
    await this.hours.save({ ...hour, mails: hour.mails + 1 });
  }

  /** Any number of processes may do this at once. */
  forget(): Promise<void> {
    return this.hours.forget(this.clock.now());
  }

  private async holdExcess(mailbox: string, mails: readonly Prospect[]): Promise<readonly string[]> {
    const now = this.clock.now();
    const limit = Math.min(...mails.map(({ sender }) => (sender as MailSender).messagesAnHour));
    const hour = await this.hours.locked(mailbox, now, this.hour);
    const room = Math.min(mails.length, Math.max(0, limit - hour.mails));
    const excess = Map.groupBy(mails.slice(room), ({ delivery }) => delivery.channelId);
    const waiting = Object.fromEntries([...excess.keys()].map((id) => [id, hour.digests[id] ?? randomUUID()]));
    await this.hours.save({ ...hour, mails: hour.mails + room, digests: { ...hour.digests, ...waiting } });
    for (const [channelId, theirs] of excess) {
      const digest = { id: waiting[channelId] ?? randomUUID(), channelId, dueAt: hour.endsAt };
      await this.digests.hold(theirs.map(idOf), digest, now);
    }
    return [...excess.values()].flat().map(idOf);
  }
}

/** What failed before was counted then, and while nothing can be sent, nobody is flooded. */
function isNewMail({ delivery, sender }: Prospect): boolean {
  return delivery.failures === 0 && delivery.digestId === null && sender instanceof MailSender && sender.isReady;
}

function isInDigest({ delivery }: Prospect): boolean {
  return delivery.digestId !== null;
}

function idOf({ delivery }: Prospect): string {
  return delivery.id;
}
