import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { Clock, HOUR } from '../../../kernel/clock.js';
import { MailDigests } from '../ports/digest-repository.js';
import { hoursKeyOf, hoursKeyOfAccount, MailHours } from '../../domain/email/mail-quota-window.js';
import { MailSender } from '../../domain/email/mail-sender.js';
import { NotificationChannels } from '../../domain/channels/notification-channel.js';
import type { Undertaking } from '../deliveries/attempt-context.js';

type Prospect = Pick<Undertaking, 'delivery' | 'channel' | 'sender'>;
type Mail = Prospect & { readonly sender: MailSender };

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
    const held = new Set(prospects.filter(isInDigest).map(({ delivery }) => delivery.id));
    if (held.size > 0) await this.digests.giveBack([...held]);
    // Hours are locked in one order in every process, so that no two wait for each other.
    for (const [accountId, mails] of inOrder(prospects.filter(isNewMail), ({ channel }) => channel.accountId))
      for (const id of await this.holdExcessOf(accountId, mails)) held.add(id);
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

  private async holdExcessOf(accountId: string, mails: readonly Mail[]): Promise<readonly string[]> {
    const hour = await this.hours.locked(hoursKeyOfAccount(accountId), this.clock.now(), this.hour);
    const limit = Math.min(...mails.map(({ sender }) => sender.messagesAnHourOfAccount));
    const held: string[] = [];
    let sent = hour.mails;
    for (const [mailbox, theirs] of inOrder(mails, ({ channel }) => hoursKeyOf(channel))) {
      const excess = await this.holdExcess(mailbox, theirs, Math.max(0, limit - sent));
      sent += theirs.length - excess.length;
      held.push(...excess);
    }
    await this.hours.save({ ...hour, mails: sent });
    return held;
  }

  /** @param most so many may go out, even where the mailbox could take more */
  private async holdExcess(mailbox: string, mails: readonly Mail[], most: number): Promise<readonly string[]> {
    const now = this.clock.now();
    const limit = Math.min(...mails.map(({ sender }) => sender.messagesAnHour));
    const hour = await this.hours.locked(mailbox, now, this.hour);
    const room = Math.min(mails.length, most, Math.max(0, limit - hour.mails));
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
function isNewMail<P extends Prospect>(prospect: P): prospect is P & Mail {
  const { delivery, sender } = prospect;
  return delivery.failures === 0 && delivery.digestId === null && sender instanceof MailSender && sender.isReady;
}

function isInDigest({ delivery }: Prospect): boolean {
  return delivery.digestId !== null;
}

function inOrder<One>(all: readonly One[], keyOf: (one: One) => string): [string, One[]][] {
  return [...Map.groupBy(all, keyOf)].sort(([a], [b]) => (a < b ? -1 : 1));
}

function idOf({ delivery }: Prospect): string {
  return delivery.id;
}
