import { AggregateRoot } from '../../../kernel/aggregate-root.js';
import { after, DAY } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/identifier.js';
import { type AttemptOutcome, isGone } from '../deliveries/attempt.js';
import { channelDisabled, type ChannelDisabled } from './channel-events.js';
import type { Recipient } from '../email/address-confirmation.js';
import { type HeaderChanges, mergeHeaders } from './custom-headers.js';
import { matchesFilter } from '../events/event-type.js';
import type { Target } from './target.js';

/** Why a channel is inactive: see its states. */
export type DisabledReason =
  'gone' | 'failing' | 'switched_off' | 'unsubscribed' | 'unconfirmed' | 'mail_not_configured';

/** A receiver that took nothing for this long is not coming back by itself; milliseconds. */
export const MAX_FAILING_MS = 5 * DAY;

/**
 * Where an account wants to be told.
 *
 *     active ──410──▶ inactive (gone)
 *        │ ──five days of failures only──▶ inactive (failing)
 *        │ ──its recipient wants no more──▶ inactive (unsubscribed)
 *        │ ──switched off──▶ inactive (switched_off)
 *        ◀──switched on── whatever the reason
 *
 *     inactive (unconfirmed) ──its address agrees──▶ active
 *
 * Where addresses have to confirm, a channel begins unconfirmed, and is so again when it is to be switched on and its
 * address never confirmed, or unsubscribed since. Without a mail relay it begins as mail_not_configured.
 *
 * Failures of the receiver are counted from `firstFailureAt`; any success clears it.
 */
export class NotificationChannel extends AggregateRoot<NotificationChannel> {
  private constructor(
    readonly id: string,
    readonly accountId: string,
    /** `email`, `webhook`, or a type that a sender from outside this module serves. */
    readonly type: string,
    readonly target: string,
    readonly canonicalTarget: string,
    /** Where attempts connect to; receivers at one host share its places. */
    readonly host: string,
    /** Opens with the secret keeper only; null for types whose receivers check no signature. */
    readonly sealedSecret: string | null,
    /** Those before it, the last one first; some may have ended. */
    readonly olderSecrets: readonly OlderSecret[],
    readonly active: boolean,
    /** Types it wants; none listed = all. */
    readonly eventTypes: readonly string[],
    /** Tags of entries it wants to hear of; none listed = all. */
    readonly tags: readonly string[],
    /** What is sent along, by name; the values open with the secret keeper only. */
    readonly headers: Readonly<Record<string, string>>,
    readonly reason: DisabledReason | null,
    readonly disabledAt: Date | null,
    readonly firstFailureAt: Date | null,
    /** When its address agreed; null while it did not, or was never asked. */
    readonly confirmedAt: Date | null,
    readonly createdAt: Date,
  ) {
    super();
  }

  static open(
    accountId: string,
    type: string,
    target: Target,
    now: Date,
    filters: ChannelFilters = {},
  ): NotificationChannel {
    const { asSent, canonical, host = type } = target;
    const id = newId('nc');
    const channel = new NotificationChannel(
      ...([id, accountId, type, asSent, canonical, host, null, [], true, [], [], {}] as const),
      ...([null, null, null, null, now] as const),
    );
    channel.setFilters(filters);
    return channel;
  }

  /** Changes what it is told; what is left out stays. */
  setFilters({ eventTypes = this.eventTypes, tags = this.tags }: ChannelFilters): void {
    this.become({ eventTypes, tags });
  }

  /** Changes what is sent along. @throws HeaderNotAllowed */
  setHeaders(sealedHeaders: HeaderChanges): void {
    this.become({ headers: mergeHeaders(this.headers, sealedHeaders) });
  }

  enable(): void {
    if (!this.active) this.become({ active: true, reason: null, disabledAt: null, firstFailureAt: null });
  }

  disable(now: Date): void {
    this.deactivate('switched_off', now);
    if (this.reason === 'unconfirmed' || this.reason === 'mail_not_configured')
      this.become({ reason: 'switched_off', disabledAt: now });
  }

  /** Nothing is sent there before its address confirms. */
  awaitConfirmation(): void {
    this.become({ active: false, reason: 'unconfirmed', disabledAt: null });
  }

  /** Nothing can be sent there before the operator names a mail relay. */
  awaitRelay(): void {
    this.become({ active: false, reason: 'mail_not_configured', disabledAt: null });
  }

  /** Whether deliveries are made for it; those of a channel without a relay fail, and are kept for replay. */
  get receivesEvents(): boolean {
    return this.active || this.reason === 'mail_not_configured';
  }

  /** Its address agrees; what was inactive for another reason stays so. */
  confirm(now: Date): void {
    this.become({ confirmedAt: now });
    if (this.reason === 'unconfirmed') this.enable();
  }

  /** Its recipient wants no more of it, whatever else it was inactive for. The account's other channels hear of it. */
  unsubscribe(now: Date): void {
    this.become({ confirmedAt: null });
    if (this.active) return this.disableAndAnnounce('unsubscribed', now);
    if (this.reason !== 'unsubscribed') this.become({ reason: 'unsubscribed', disabledAt: now });
  }

  /**
   * What this channel's deliveries are signed with from now on.
   * @param graceMs milliseconds for which older secrets sign too, so that receivers may change over; 0 ends them all
   */
  setSecret(sealedSecret: string, now: Date, graceMs: number): void {
    const previous =
      this.sealedSecret === null ? [] : [{ sealed: this.sealedSecret, until: after(now, graceMs).toJSON() }];
    const older = [...previous, ...this.olderSecrets.filter((secret) => isActive(secret, now))];
    this.become({ sealedSecret, olderSecrets: graceMs === 0 ? [] : older.slice(0, MAX_ACTIVE_SECRETS - 1) });
  }

  /** What signs nothing any more is not kept. */
  removeExpiredSecrets(now: Date): void {
    this.become({ olderSecrets: this.olderSecrets.filter((secret) => isActive(secret, now)) });
  }

  /** Sealed, the current one first; empty for types whose receivers check no signature. */
  activeSecrets(now: Date): string[] {
    const older = this.olderSecrets.filter((secret) => isActive(secret, now));
    return this.sealedSecret === null ? [] : [this.sealedSecret, ...older.map(({ sealed }) => sealed)];
  }

  accepts(type: string, entryTags: readonly string[]): boolean {
    if (!this.receivesEvents) return false;
    const acceptsType = this.eventTypes.length === 0 || this.eventTypes.some((filter) => matchesFilter(filter, type));
    const isAboutEntry = !type.startsWith('channel.');
    const acceptsTags = !isAboutEntry || this.tags.length === 0 || this.tags.some((tag) => entryTags.includes(tag));
    return acceptsType && acceptsTags;
  }

  /** A success that was written down beside the first failure counts as the later of the two. */
  clearFailures(): void {
    this.become({ firstFailureAt: null });
  }

  /** Takes note of how an attempt to reach it ended. */
  recordOutcome(outcome: AttemptOutcome, now: Date, maxFailingMs = MAX_FAILING_MS): void {
    if (outcome.outcome === 'ok') return this.become({ firstFailureAt: null });
    if (isGone(outcome)) return this.disableAndAnnounce('gone', now);
    if (outcome.fault === 'service') return;
    if (!this.firstFailureAt) this.become({ firstFailureAt: now });
    else if (this.hasFailedTooLong(now, maxFailingMs)) this.disableAndAnnounce('failing', now);
  }

  /** Whether one more failure would be the last: long enough ago the first came, and nothing was taken since. */
  hasFailedTooLong(now: Date, maxFailingMs = MAX_FAILING_MS): boolean {
    return this.firstFailureAt !== null && now.getTime() - this.firstFailureAt.getTime() >= maxFailingMs;
  }

  /** The account hears of it on its other channels. */
  private disableAndAnnounce(reason: ChannelDisabled['reason'], now: Date): void {
    if (!this.active) return;
    this.deactivate(reason, now);
    this.record(channelDisabled(this, reason, now));
  }

  private deactivate(reason: DisabledReason, now: Date): void {
    if (this.active) this.become({ active: false, reason, disabledAt: now });
  }
}

/** Signs beside the current one, until its end. */
export interface OlderSecret {
  readonly sealed: string;
  /** An ISO timestamp. */
  readonly until: string;
}

const MAX_ACTIVE_SECRETS = 3;

function isActive({ until }: OlderSecret, now: Date): boolean {
  return Date.parse(until) > now.getTime();
}

export interface ChannelFilters {
  readonly eventTypes?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** All channels, inside a unit of work; `findIdsWithoutRelay` is a statement of its own. */
export abstract class NotificationChannelRepository {
  /** As it is now: what becomes of it later in the same unit of work is not written. */
  abstract add(channel: NotificationChannel): Promise<void>;
  /** With all its deliveries. */
  abstract remove(channel: NotificationChannel): void;
  /** How many the account holds, which nobody else can change before this unit of work ends. */
  abstract lockAndCount(accountId: string): Promise<number>;
  abstract findByTarget(accountId: string, type: string, canonicalTarget: string): Promise<NotificationChannel | null>;
  /** To read only: nobody looks whether they change. */
  abstract findByIds(ids: readonly string[]): Promise<NotificationChannel[]>;
  /** Locked against everybody else who would change it; with an account, null for a channel of another one. */
  abstract findLocked(id: string, accountId?: string): Promise<NotificationChannel | null>;
  /**
   * The same for many, in an order that keeps those who lock several from waiting in a circle.
   * @param ifFailing wanted only if something failed since their last success
   */
  abstract findAllLocked(ids: readonly string[], ifFailing?: readonly string[]): Promise<NotificationChannel[]>;
  /** Those of these accounts that are listening; none of them can be deleted before this unit of work ends. */
  abstract findReceivers(accountIds: readonly string[]): Promise<NotificationChannel[]>;
  /** The email channels of an account that lead to a mailbox, locked; none can be added before this unit of work ends. */
  abstract findLockedByMailbox(recipient: Recipient): Promise<NotificationChannel[]>;
  /** Ids of those that wait for a mail relay. */
  abstract findIdsWithoutRelay(limit: number): Promise<string[]>;
}
