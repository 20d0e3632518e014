import { AggregateRoot, type FieldsOf } from '../../kernel/aggregate-root.js';
import { after } from '../../kernel/clock.js';
import { newId } from '../../kernel/identifier.js';
import type { TimeUnits } from '../../kernel/time-units.js';
import { type AttemptOutcome, whyGone } from './attempt.js';
import { channelDisabled, type ChannelDisabled } from './channel-events.js';
import { type HeaderChanges, mergeHeaders } from './custom-headers.js';
import { matchesFilter } from './event-type.js';
import { nextSummaryAt, type SummarySchedule } from './summary.js';
import type { Target } from './target.js';

export type InactiveReason =
  'gone' | 'failing' | 'switched_off' | 'unsubscribed' | 'unconfirmed' | 'mail_not_configured';

/** A channel is disabled after failing for this many days. */
const MAX_FAILING_DAYS = 5;

/**
 * A receiver of an account's notifications.
 *
 *     active ──its receiver wants no more──▶ inactive (gone)
 *        │ ──five days of failures only──▶ inactive (failing)
 *        │ ──its recipient unsubscribes──▶ inactive (unsubscribed)
 *        │ ──disabled by the account──▶ inactive (switched_off)
 *        ◀──added or enabled by the account
 *
 *     inactive (unconfirmed) ──its address confirms──▶ active
 *
 * Without a mail relay, an added or enabled mail channel becomes mail_not_configured. If its recipient must confirm
 * first, for example after unsubscribing, the channel becomes unconfirmed.
 */
export class NotificationChannel extends AggregateRoot<NotificationChannel> {
  declare readonly id: string;
  declare readonly accountId: string;
  /** The stored type, such as `email`, `webhook` or `webhook:slack`. Extensions add types. */
  declare readonly type: string;
  /** The target as the API shows it, masked if the target is secret. */
  declare readonly target: string;
  /** The account's name for the channel, unique in the account without regard to case. */
  declare readonly label: string | null;
  /** The normalized target, or its keyed hash if the target is secret. */
  declare readonly canonicalTarget: string;
  /**
   * The host to connect to, or the type if targets have no host. Channels with the same host share a concurrency limit.
   */
  declare readonly host: string;
  /** The encrypted normalized target if the target is secret, otherwise null. */
  declare readonly sealedTarget: string | null;
  /** The account's encrypted credential. null if the type takes no credential. */
  declare readonly sealedCredential: string | null;
  /** The encrypted signing secret. null for types without signatures. */
  declare readonly sealedSecret: string | null;
  /** Earlier secrets, newest first. Some may have expired. */
  declare readonly olderSecrets: readonly OlderSecret[];
  declare readonly active: boolean;
  /** If empty, the channel gets all events for which `isSentByDefault` is true. */
  declare readonly eventTypes: readonly string[];
  /** Limits events to entries with one of these tags. An empty list allows all entries. */
  declare readonly tags: readonly string[];
  /** The account's own headers by name, with encrypted values. */
  declare readonly headers: Readonly<Record<string, string>>;
  declare readonly reason: InactiveReason | null;
  /** The receiver's explanation if the reason is `gone`, else null. */
  declare readonly reasonDetail: string | null;
  declare readonly disabledAt: Date | null;
  /** When the receiver began to fail. Any success clears the time. */
  declare readonly firstFailureAt: Date | null;
  /** When the recipient confirmed the address. null if this has not happened, or was not needed. */
  declare readonly confirmedAt: Date | null;
  /** The times at which the channel gets a summary of the watchlist. null for none. */
  declare readonly summary: SummarySchedule | null;
  declare readonly nextSummaryAt: Date | null;
  declare readonly createdAt: Date;

  private constructor(fields: FieldsOf<NotificationChannel, 'receivesEvents'>) {
    super();
    this.become(fields);
  }

  static open(
    accountId: string,
    type: string,
    target: Target,
    now: Date,
    { label = null, eventTypes = [], tags = [] }: ChannelFilters & { readonly label?: string | null | undefined } = {},
  ): NotificationChannel {
    const { asSent, canonical, host = type } = target;
    return new NotificationChannel({
      id: newId('nc'),
      accountId,
      type,
      target: asSent,
      label,
      canonicalTarget: canonical,
      host,
      sealedTarget: null,
      sealedCredential: null,
      sealedSecret: null,
      olderSecrets: [],
      active: true,
      eventTypes,
      tags,
      headers: {},
      reason: null,
      reasonDetail: null,
      disabledAt: null,
      firstFailureAt: null,
      confirmedAt: null,
      summary: null,
      nextSummaryAt: null,
      createdAt: now,
    });
  }

  /** @param hash the keyed hash of the canonical target, which finds duplicates */
  hideTarget(masked: string, hash: string, sealedTarget: string): void {
    this.become({ target: masked, canonicalTarget: hash, sealedTarget });
  }

  setCredential(sealedCredential: string): void {
    this.become({ sealedCredential });
  }

  rename(label: string | null): void {
    this.become({ label });
  }

  scheduleSummary(summary: SummarySchedule | null, now: Date): void {
    this.become({ summary, nextSummaryAt: summary && nextSummaryAt(summary, now) });
  }

  /** If a summary is due, schedules the next summary. @returns when the due summary was due, or null */
  takeDueSummary(now: Date): Date | null {
    const { summary, nextSummaryAt: dueAt } = this;
    if (!summary || !dueAt || dueAt > now) return null;
    this.scheduleSummary(summary, now);
    return dueAt;
  }

  setFilters({ eventTypes = this.eventTypes, tags = this.tags }: ChannelFilters): void {
    this.become({ eventTypes, tags });
  }

  /** @throws HeaderNotAllowed if there are too many headers */
  setHeaders(sealedHeaders: HeaderChanges): void {
    this.become({ headers: mergeHeaders(this.headers, sealedHeaders) });
  }

  enable(): void {
    if (this.active) return;
    this.become({ active: true, reason: null, reasonDetail: null, disabledAt: null, firstFailureAt: null });
  }

  disable(now: Date): void {
    this.deactivate('switched_off', now);
    if (this.reason === 'unconfirmed' || this.reason === 'mail_not_configured')
      this.become({ reason: 'switched_off', disabledAt: now });
  }

  awaitConfirmation(): void {
    this.become({ active: false, reason: 'unconfirmed', reasonDetail: null, disabledAt: null });
  }

  awaitRelay(): void {
    this.become({ active: false, reason: 'mail_not_configured', reasonDetail: null, disabledAt: null });
  }

  /** True for active channels, and for channels without a mail relay, whose deliveries fail and can be replayed. */
  get receivesEvents(): boolean {
    return this.active || this.reason === 'mail_not_configured';
  }

  /**
   * Records that the recipient has confirmed the address. A channel that is inactive for another reason stays inactive.
   */
  confirm(now: Date): void {
    this.become({ confirmedAt: now });
    if (this.reason === 'unconfirmed') this.enable();
  }

  /** Records that the recipient unsubscribed. If the channel was active, the account's other channels get an event. */
  unsubscribe(now: Date): void {
    this.become({ confirmedAt: null });
    if (this.active) return this.disableAndAnnounce({ reason: 'unsubscribed', detail: null }, now);
    if (this.reason !== 'unsubscribed') this.become({ reason: 'unsubscribed', reasonDetail: null, disabledAt: now });
  }

  /** @param graceMs how long older secrets still sign, so that receivers can change over */
  setSecret(sealedSecret: string, now: Date, graceMs: number): void {
    const previous =
      this.sealedSecret === null ? [] : [{ sealed: this.sealedSecret, until: after(now, graceMs).toJSON() }];
    const older = [...previous, ...this.olderSecrets.filter((secret) => isActive(secret, now))];
    this.become({ sealedSecret, olderSecrets: graceMs === 0 ? [] : older.slice(0, MAX_ACTIVE_SECRETS - 1) });
  }

  removeExpiredSecrets(now: Date): void {
    this.become({ olderSecrets: this.olderSecrets.filter((secret) => isActive(secret, now)) });
  }

  /** Returns the encrypted secrets that sign now, with the current secret first. */
  activeSecrets(now: Date): string[] {
    const older = this.olderSecrets.filter((secret) => isActive(secret, now));
    return this.sealedSecret === null ? [] : [this.sealedSecret, ...older.map(({ sealed }) => sealed)];
  }

  /** @param isByDefault whether channels without a type filter get the event */
  accepts(type: string, entryTags: readonly string[], isByDefault = true): boolean {
    if (!this.receivesEvents) return false;
    const acceptsType =
      this.eventTypes.length === 0 ? isByDefault : this.eventTypes.some((filter) => matchesFilter(filter, type));
    const isAboutEntry = !type.startsWith('channel.');
    const acceptsTags = !isAboutEntry || this.tags.length === 0 || this.tags.some((tag) => entryTags.includes(tag));
    return acceptsType && acceptsTags;
  }

  /**
   * Ignores failures if the receiver accepted another event, except replies that end the channel, such as 410
   * (`whyGone`).
   */
  recordOutcomes(outcomes: Iterable<AttemptOutcome>, now: Date, units: TimeUnits): void {
    const all = [...outcomes];
    const isWorking = all.some(({ outcome }) => outcome === 'ok');
    if (isWorking) this.become({ firstFailureAt: null });
    for (const outcome of all)
      if (outcome.outcome !== 'ok' && (!isWorking || whyGone(outcome) !== null))
        this.recordFailure(outcome, now, units);
  }

  private recordFailure(outcome: AttemptOutcome, now: Date, units: TimeUnits): void {
    const detail = whyGone(outcome);
    if (detail !== null) return this.disableAndAnnounce({ reason: 'gone', detail }, now);
    if (outcome.fault === 'service') return;
    if (!this.firstFailureAt) this.become({ firstFailureAt: now });
    else if (this.hasFailedTooLong(now, units)) this.disableAndAnnounce({ reason: 'failing', detail: null }, now);
  }

  /** Whether one more failure would disable the channel. */
  hasFailedTooLong(now: Date, { day }: TimeUnits): boolean {
    return this.firstFailureAt !== null && now >= after(this.firstFailureAt, MAX_FAILING_DAYS * day);
  }

  /** Disables the channel and records an event, which goes to the account's other channels. */
  private disableAndAnnounce(why: Pick<ChannelDisabled, 'reason' | 'detail'>, now: Date): void {
    if (!this.active) return;
    this.deactivate(why.reason, now, why.detail);
    this.record(channelDisabled(this, why, now));
  }

  private deactivate(reason: InactiveReason, now: Date, reasonDetail: string | null = null): void {
    if (this.active) this.become({ active: false, reason, reasonDetail, disabledAt: now });
  }
}

/** An earlier secret, which signs together with the current secret until it expires. */
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
