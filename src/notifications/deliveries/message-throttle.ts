import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import {
  type DigestSender,
  sendsDigests,
  type CountedMessage,
  type MessageQuota,
  type Refusal,
  refuse,
  take,
  UNUSED_QUOTA,
  type UsedQuota,
  accountQuotaKey,
  receiverQuotaKey,
} from '../domain/message-quota.js';
import { QuotaWindowRepository } from './quota-windows.repository.js';
import { EmailSender } from '../email/email-sender.js';
import type { SendableDelivery } from './attempt-context.js';
import { DigestRepository } from './digests.repository.js';

type LimitedDelivery = SendableDelivery & { readonly sender: DigestSender };
type Mail = SendableDelivery & { readonly sender: EmailSender };

/** Counts the places that messages of several receivers share. */
interface SharedPlaces {
  readonly quota: MessageQuota;
  used: UsedQuota;
}

interface RefusedDelivery {
  readonly message: LimitedDelivery;
  readonly refusal: Refusal;
}

const UNLIMITED: MessageQuota = { messages: Infinity, perName: Infinity };

/**
 * Limits mails per mailbox and hour, and messages per chat and minute: the excess waits until the window is over, in a
 * digest. Runs inside the transaction that starts attempts.
 */
@Injectable()
export class MessageThrottle {
  constructor(
    private readonly windows: QuotaWindowRepository,
    private readonly digests: DigestRepository,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
  ) {}

  /** @returns those to send now; the others are deferred to a digest */
  async admitOrDefer(candidates: readonly SendableDelivery[]): Promise<readonly SendableDelivery[]> {
    const inDigest = candidates.filter(({ delivery }) => delivery.digestId !== null);
    const deferred = new Set(inDigest.map(({ delivery }) => delivery.id));
    if (deferred.size > 0) await this.digests.release([...deferred]);
    // Windows are locked in one order everywhere, mails before chats, which prevents deadlocks.
    const messages = candidates.filter(isNewMessage);
    for (const [accountId, mails] of groupInOrder(messages.filter(isMail), ({ channel }) => channel.accountId))
      for (const id of await this.deferExcessOfAccount(accountId, mails)) deferred.add(id);
    const chats = messages.filter((message) => !isMail(message));
    for (const [key, group] of groupInOrder(chats, getReceiverKey))
      for (const id of await this.deferExcess(key, group)) deferred.add(id);
    return candidates.filter(({ delivery }) => !deferred.has(delivery.id));
  }

  /** Counts a digest, which is never deferred. */
  async count(channel: NotificationChannel, sender: DigestSender): Promise<void> {
    const window = await this.lock(receiverQuotaKey(channel, sender.digestQuota), sender);
    await this.windows.save({ ...window, used: take(window.used, { urgent: false, entryId: null }) });
  }

  /** Safe to run in several processes at once. */
  purge(): Promise<void> {
    return this.windows.purge(this.clock.now());
  }

  private async deferExcessOfAccount(accountId: string, mails: readonly Mail[]): Promise<readonly string[]> {
    const [first] = mails;
    if (!first) return [];
    const window = await this.windows.lock(accountQuotaKey(accountId), this.clock.now(), this.units.hour);
    const shared: SharedPlaces = { quota: first.sender.hourlyQuotaOfAccount, used: window.used };
    const deferred: string[] = [];
    for (const [mailbox, group] of groupInOrder(mails, getReceiverKey))
      deferred.push(...(await this.deferExcess(mailbox, group, shared)));
    await this.windows.save({ ...window, used: shared.used });
    return deferred;
  }

  /** @param shared the places of the account, beside those of the receiver */
  private async deferExcess(
    key: string,
    messages: readonly LimitedDelivery[],
    shared: SharedPlaces = { quota: UNLIMITED, used: UNUSED_QUOTA },
  ): Promise<readonly string[]> {
    const [first] = messages;
    if (!first) return [];
    const { kind, perReceiver } = first.sender.digestQuota;
    const window = await this.lock(key, first.sender);
    let { used } = window;
    const refused: RefusedDelivery[] = [];
    for (const message of messages) {
      const counted = toCounted(message);
      const refusal = refuse(used, counted, perReceiver) ?? refuse(shared.used, counted, shared.quota);
      if (refusal !== null) refused.push({ message, refusal });
      else [used, shared.used] = [take(used, counted), take(shared.used, counted)];
    }
    const excess = Map.groupBy(refused, ({ message }) => message.delivery.channelId);
    const digestIds = Object.fromEntries([...excess.keys()].map((id) => [id, window.digests[id] ?? randomUUID()]));
    await this.windows.save({ ...window, used, digests: { ...window.digests, ...digestIds } });
    for (const [channelId, group] of excess) {
      const digest = { id: digestIds[channelId] ?? randomUUID(), kind, channelId, dueAt: window.endsAt };
      await this.digests.hold(group.map(getDeliveryId), digest, withoutPlace(group), this.clock.now());
    }
    return refused.map(getDeliveryId);
  }

  private lock(key: string, { digestQuota }: DigestSender) {
    return this.windows.lock(key, this.clock.now(), this.units[digestQuota.window]);
  }
}

/** A retry was counted before; a sender that is not ready sends nothing. */
function isNewMessage(candidate: SendableDelivery): candidate is LimitedDelivery {
  const { delivery, sender } = candidate;
  return delivery.failures === 0 && delivery.digestId === null && sendsDigests(sender) && sender.isReady;
}

function isMail(candidate: SendableDelivery): candidate is Mail {
  return candidate.sender instanceof EmailSender;
}

function getReceiverKey({ channel, sender }: LimitedDelivery): string {
  return receiverQuotaKey(channel, sender.digestQuota);
}

function toCounted({ delivery, event }: SendableDelivery): CountedMessage {
  return { urgent: delivery.urgent, entryId: event.entryId };
}

/** What else need not be claimed, since it would be refused too; without an entry: about any name. */
function withoutPlace(refused: readonly RefusedDelivery[]): CountedMessage[] {
  return refused.flatMap(({ message, refusal }) => {
    const counted = toCounted(message);
    if (refusal === 'full') return [{ ...counted, entryId: null }];
    return counted.entryId === null ? [] : [counted];
  });
}

function groupInOrder<Item>(items: readonly Item[], getKey: (one: Item) => string): [string, Item[]][] {
  return [...Map.groupBy(items, getKey)].sort(([a], [b]) => (a < b ? -1 : 1));
}

function getDeliveryId({ message }: RefusedDelivery): string {
  return message.delivery.id;
}
