import { Injectable } from '@nestjs/common';
import { AuditTrail, type Caller } from '../../auth/index.js';
import { Clock } from '../../kernel/clock.js';
import { DomainError, PreconditionFailed } from '../../kernel/domain-error.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { redactError } from '../domain/attempt.js';
import { type ChannelSender, ChannelSenderRegistry, describeSenderType } from '../domain/channel-sender.js';
import { type HeaderChanges, parseHeaderChanges, mergeHeaders } from '../domain/custom-headers.js';
import { DeliveryRepository } from '../deliveries/deliveries.repository.js';
import { NotificationChannel } from '../domain/notification-channel.js';
import { NotificationChannelRepository } from '../channels/notification-channels.repository.js';
import {
  ChannelAlreadyExists,
  ChannelLabelTaken,
  ChannelNotFound,
  ChannelUnconfirmed,
  CredentialInvalid,
  CredentialNotSupported,
  HeadersNotSupported,
  SecretNotSupported,
} from '../domain/notifications.errors.js';
import type { SigningSecret } from '../domain/signing-secret.js';
import { type Target, TargetInvalid } from '../domain/target.js';
import { ActivateChannel } from './activate-channel.js';
import { channelChangedEntry, channelEntry, toAuditAttributes } from '../channels/channel-audit.js';
import { ChannelSecrets } from '../channels/channel-secrets.js';
import type { ChangeChannelBody, OpenChannelBody } from './channels.dto.js';

interface OpenedChannel {
  readonly channel: NotificationChannel;
  /** The signing secret, which is shown only once. null for types without signatures. */
  readonly secret: SigningSecret | null;
}

@Injectable()
export class ChannelsService {
  constructor(
    private readonly channels: NotificationChannelRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly senders: ChannelSenderRegistry,
    private readonly secrets: ChannelSecrets,
    private readonly activate: ActivateChannel,
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
  ) {}

  /**
   * @throws ChannelTypeUnknown, FormatNotSupported, HeadersNotSupported, HeaderNotAllowed, TargetInvalid,
   *   TargetNotAllowed, CredentialInvalid, CredentialNotSupported, ChannelAlreadyExists, ChannelLabelTaken,
   *   PlanLimitReached.
   */
  open(
    account: Caller['account'],
    { label, summary, event_types: eventTypes, tags, ...body }: OpenChannelBody,
  ): Promise<OpenedChannel> {
    const sender = this.senders.get(body.type, body.format);
    const { type } = sender;
    const changes = this.parseHeaders(type, body.headers);
    const credential = parseCredential(sender, body.credential);
    const target = parseTarget(sender, body.target);
    return this.work.run(async () => {
      await this.rejectDuplicateOrOverPlan(account, type, this.secrets.toStoredTarget(sender, target));
      if (label !== undefined) await this.rejectTakenLabel(account.id, label);
      const chosen = { label, eventTypes, tags };
      const channel = NotificationChannel.open(account.id, type, target, this.clock.now(), chosen);
      if (summary) channel.scheduleSummary(summary, this.clock.now());
      const secret = this.secrets.sealAll(channel, { sender, target, credential });
      channel.setHeaders(this.secrets.sealHeaders(changes, channel.id));
      await this.activate.run(channel);
      await this.channels.add(channel);
      await this.audit.record(channelEntry('channel.added', channel, { after: toAuditAttributes(channel) }));
      return { channel, secret };
    });
  }

  /**
   * A missing field stays unchanged, and null resets a field.
   * @throws ChannelNotFound, PreconditionFailed, HeadersNotSupported, HeaderNotAllowed, CredentialInvalid,
   *   CredentialNotSupported, ChannelLabelTaken, ChannelUnconfirmed
   */
  async change(
    accountId: string,
    id: string,
    { label, summary, event_types: eventTypes, tags, headers, active, credential: givenCredential }: ChangeChannelBody,
    isExpected: (channel: NotificationChannel) => boolean,
  ): Promise<void> {
    const isRefused = await this.work.run(async () => {
      if (typeof label === 'string') await this.channels.lockAndCount(accountId); // locks the account first, as `open` does
      const channel = await this.findOwn(accountId, id);
      if (!isExpected(channel)) throw new PreconditionFailed();
      const before = toAuditAttributes(channel);
      channel.removeExpiredSecrets(this.clock.now());
      const changes = this.checkHeaders(channel, headers);
      const credential = this.checkCredential(channel, givenCredential);
      if (typeof label === 'string') await this.rejectTakenLabel(accountId, label, id);
      if (active === true && !channel.active && (await this.activate.run(channel)) === 'unconfirmed') {
        await this.audit.record(channelEntry('channel.confirmation_requested', channel));
        return true;
      }
      if (label !== undefined) channel.rename(label);
      if (summary !== undefined) channel.scheduleSummary(summary, this.clock.now());
      channel.setFilters({ eventTypes: eventTypes === null ? [] : eventTypes, tags: tags === null ? [] : tags });
      channel.setHeaders(this.secrets.sealHeaders(changes, id));
      if (credential !== null) this.secrets.sealCredential(channel, credential);
      if (active === false) await this.disable(channel);
      const entry = channelChangedEntry(channel, before, { headers: changes, credential });
      if (entry) await this.audit.record(entry);
      return false;
    });
    if (isRefused) throw new ChannelUnconfirmed(); // thrown after the commit, which stores the confirmation mail
  }

  /** Deletes a channel and its deliveries. @throws ChannelNotFound */
  close(accountId: string, id: string): Promise<void> {
    return this.work.run(async () => {
      const channel = await this.findOwn(accountId, id);
      this.channels.remove(channel);
      await this.audit.record(channelEntry('channel.removed', channel, { before: toAuditAttributes(channel) }));
    });
  }

  /**
   * Replaces the signing secret. Until the grace period ends, messages are also signed with the older secrets.
   * @throws ChannelNotFound, SecretNotSupported
   */
  rotateSecret(accountId: string, id: string, graceSeconds: number): Promise<SigningSecret> {
    const graceMs = Math.round(graceSeconds * this.units.second);
    return this.work.run(async () => {
      const channel = await this.findOwn(accountId, id);
      if (channel.sealedSecret === null) throw new SecretNotSupported(describeSenderType(channel.type));
      const secret = this.secrets.sealNewSecret(channel, this.clock.now(), graceMs);
      const after = { grace_seconds: graceSeconds };
      await this.audit.record(channelEntry('channel.secret_rotated', channel, { after }));
      return secret;
    });
  }

  private async findOwn(accountId: string, id: string): Promise<NotificationChannel> {
    const channel = await this.channels.findLocked(id, accountId);
    if (!channel) throw new ChannelNotFound();
    return channel;
  }

  private async disable(channel: NotificationChannel): Promise<void> {
    channel.disable(this.clock.now());
    await this.deliveries.pauseForChannels([channel.id]);
  }

  private parseHeaders(type: string, headers: OpenChannelBody['headers'] = {}): HeaderChanges {
    const changes = parseHeaderChanges(headers);
    const isSupported = this.senders.find(type)?.supportsHeaders === true;
    if (!isSupported && Object.keys(changes).length > 0) throw new HeadersNotSupported(describeSenderType(type));
    return changes;
  }

  /**
   * Checks headers before the channel changes, so that an invalid header changes nothing.
   * @throws HeadersNotSupported, HeaderNotAllowed
   */
  private checkHeaders(channel: NotificationChannel, headers: ChangeChannelBody['headers']): HeaderChanges {
    if (headers === null) return Object.fromEntries(Object.keys(channel.headers).map((name) => [name, null]));
    const changes = this.parseHeaders(channel.type, headers);
    mergeHeaders(channel.headers, changes);
    return changes;
  }

  /** @throws CredentialInvalid, CredentialNotSupported */
  private checkCredential({ type }: NotificationChannel, credential: string | undefined): string | null {
    if (credential === undefined) return null;
    const sender = this.senders.find(type);
    if (!sender) throw new CredentialNotSupported(describeSenderType(type));
    return parseCredential(sender, credential);
  }

  /** Call `lockAndCount` first, so that concurrent requests cannot take the same label. */
  private async rejectTakenLabel(accountId: string, label: string, ownId?: string): Promise<void> {
    const id = await this.channels.findIdByLabel(accountId, label);
    if (id !== null && id !== ownId) throw new ChannelLabelTaken(id);
  }

  private async rejectDuplicateOrOverPlan(
    account: Caller['account'],
    type: string,
    storedTarget: string,
  ): Promise<void> {
    const count = await this.channels.lockAndCount(account.id);
    const existingId = await this.channels.findIdByTarget(account.id, type, storedTarget);
    if (existingId !== null) throw new ChannelAlreadyExists(existingId);
    account.plan.requireRoomFor('channels', count);
  }
}

/** @throws TargetInvalid or TargetNotAllowed. Neither error repeats a secret target. */
function parseTarget(sender: ChannelSender, text: string): Target {
  if (!sender.hasSecretTarget) return sender.parseTarget(text);
  return withoutSecret(
    text,
    () => sender.parseTarget(text),
    () => new TargetInvalid(`This is no target of a channel of type ${describeSenderType(sender.type)}.`),
  );
}

/**
 * @returns null for types that take no credential
 * @throws CredentialInvalid, CredentialNotSupported or the sender's own DomainError. No error repeats the credential.
 */
function parseCredential(sender: ChannelSender, text: string | undefined): string | null {
  if (sender.secret !== 'account') {
    if (text === undefined) return null;
    throw new CredentialNotSupported(describeSenderType(sender.type));
  }
  if (text === undefined) throw new CredentialInvalid(`Channels of type ${sender.type} need a credential.`);
  return withoutSecret(
    text,
    () => sender.parseCredential(text),
    () => new CredentialInvalid(`This is no credential of a channel of type ${sender.type}.`),
  );
}

/** Replaces an error that repeats the secret, because errors are shown and logged. */
function withoutSecret<Parsed>(secret: string, parse: () => Parsed, replacement: () => DomainError): Parsed {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof DomainError)) throw redactError(error, [secret]);
    if (secret !== '' && `${error.message}${JSON.stringify(error.details)}`.includes(secret.trim()))
      throw replacement();
    throw error;
  }
}
