import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { TimeUnits } from '../../../kernel/time-units.js';
import { DigestRepository } from '../ports/digest-repository.js';
import { mailboxQuotaKey, accountQuotaKey, MailQuotaWindowRepository } from '../../domain/email/mail-quota-window.js';
import { MailSender } from '../../domain/email/mail-sender.js';
import { NotificationChannelRepository } from '../../domain/channels/notification-channel.js';
import type { AttemptContext } from '../deliveries/attempt-context.js';

type SendableDelivery = Pick<AttemptContext, 'delivery' | 'channel' | 'sender'>;
type Mail = SendableDelivery & { readonly sender: MailSender };

/**
 * Limits mails per mailbox and hour: the excess waits for the next hour, in a digest. Runs inside the transaction that
 * starts attempts.
 */
@Injectable()
export class MailThrottle {
  private readonly windowMs: number;

  constructor(
    private readonly windows: MailQuotaWindowRepository,
    private readonly digests: DigestRepository,
    private readonly channels: NotificationChannelRepository,
    private readonly clock: Clock,
    { hour }: TimeUnits,
  ) {
    this.windowMs = hour;
  }

  /** Whether `admitOrDefer` counts or may defer it. */
  appliesTo(candidate: SendableDelivery): boolean {
    return isNewMail(candidate) || isInDigest(candidate);
  }

  /** @returns those to send now; the others are deferred to a digest */
  async admitOrDefer<P extends SendableDelivery>(candidates: readonly P[]): Promise<readonly P[]> {
    const deferred = new Set(candidates.filter(isInDigest).map(({ delivery }) => delivery.id));
    if (deferred.size > 0) await this.digests.release([...deferred]);
    // Windows are locked in one order everywhere, which prevents deadlocks.
    for (const [accountId, mails] of groupInOrder(candidates.filter(isNewMail), ({ channel }) => channel.accountId))
      for (const id of await this.deferExcessOfAccount(accountId, mails)) deferred.add(id);
    return candidates.filter(({ delivery }) => !deferred.has(delivery.id));
  }

  /** Counts a digest, which is never deferred. */
  async count(channelId: string): Promise<void> {
    const [channel] = await this.channels.findByIds([channelId]);
    if (!channel) return; // its deliveries are gone too
    const window = await this.windows.lock(mailboxQuotaKey(channel), this.clock.now(), this.windowMs);
    await this.windows.save({ ...window, mails: window.mails + 1 });
  }

  /** Safe to run in several processes at once. */
  purge(): Promise<void> {
    return this.windows.purge(this.clock.now());
  }

  private async deferExcessOfAccount(accountId: string, mails: readonly Mail[]): Promise<readonly string[]> {
    const window = await this.windows.lock(accountQuotaKey(accountId), this.clock.now(), this.windowMs);
    const limit = Math.min(...mails.map(({ sender }) => sender.accountHourlyLimit));
    const deferred: string[] = [];
    let sent = window.mails;
    for (const [mailbox, group] of groupInOrder(mails, ({ channel }) => mailboxQuotaKey(channel))) {
      const excess = await this.deferExcess(mailbox, group, Math.max(0, limit - sent));
      sent += group.length - excess.length;
      deferred.push(...excess);
    }
    await this.windows.save({ ...window, mails: sent });
    return deferred;
  }

  /** @param accountLimit what the account may still send, beside the limit of the mailbox */
  private async deferExcess(mailbox: string, mails: readonly Mail[], accountLimit: number): Promise<readonly string[]> {
    const now = this.clock.now();
    const limit = Math.min(...mails.map(({ sender }) => sender.mailboxHourlyLimit));
    const window = await this.windows.lock(mailbox, now, this.windowMs);
    const admitted = Math.min(mails.length, accountLimit, Math.max(0, limit - window.mails));
    const excess = Map.groupBy(mails.slice(admitted), ({ delivery }) => delivery.channelId);
    const digestIds = Object.fromEntries([...excess.keys()].map((id) => [id, window.digests[id] ?? randomUUID()]));
    await this.windows.save({
      ...window,
      mails: window.mails + admitted,
      digests: { ...window.digests, ...digestIds },
    });
    for (const [channelId, group] of excess) {
      const digest = { id: digestIds[channelId] ?? randomUUID(), channelId, dueAt: window.endsAt };
      await this.digests.hold(group.map(getDeliveryId), digest, now);
    }
    return [...excess.values()].flat().map(getDeliveryId);
  }
}

/** A retry was counted before; without a relay nothing is counted. */
function isNewMail<P extends SendableDelivery>(candidate: P): candidate is P & Mail {
  const { delivery, sender } = candidate;
  return delivery.failures === 0 && delivery.digestId === null && sender instanceof MailSender && sender.isReady;
}

function isInDigest({ delivery }: SendableDelivery): boolean {
  return delivery.digestId !== null;
}

function groupInOrder<Item>(items: readonly Item[], getKey: (one: Item) => string): [string, Item[]][] {
  return [...Map.groupBy(items, getKey)].sort(([a], [b]) => (a < b ? -1 : 1));
}

function getDeliveryId({ delivery }: SendableDelivery): string {
  return delivery.id;
}
