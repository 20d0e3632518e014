import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { invitationPath } from '../../auth/index.js';
import { type Recipient, mailboxKey } from '../domain/mailbox.js';
import { LinkNotValid } from '../domain/notifications.errors.js';
import { MailConfig } from '../../config/sections.js';
import { UnsealFailed, OtherKeyNeeded, SecretBox } from '../../platform/crypto/secret-box.js';
import { listenerUrl } from '../../platform/outbound/smtp-relay.js';

export interface MailedChannel {
  readonly id: string;
  readonly accountId: string;
  /** The normalized address of the channel. */
  readonly target: string;
}

interface Subscription {
  readonly channelId: string;
  readonly recipient: Recipient;
}

/** A token can be decrypted for one purpose only, so a link to confirm cannot unsubscribe. */
const UNSUBSCRIBE_CONTEXT = 'a link to unsubscribe';
const CONFIRMATION_CONTEXT = 'a link to confirm';
/** Longer texts are rejected at once, because no valid token is that long. */
const MAX_TOKEN_LENGTH = 300;

/**
 * Encrypts ids in links with the data key, which stays the same when the master key changes, so that old links still
 * work.
 */
@Injectable()
export class MailLinks {
  private readonly publicUrl: string | null;

  constructor(
    { publicUrl }: MailConfig,
    private readonly box: SecretBox,
    private readonly http: HttpAdapterHost,
  ) {
    this.publicUrl = publicUrl?.replace(/\/+$/, '') ?? null;
  }

  /** The link contains the mailbox, so that people can unsubscribe even if the channel was deleted. */
  unsubscribeUrl({ id, accountId, target }: MailedChannel): string | null {
    if (this.publicUrl === null) return null;
    const mailbox = Buffer.from(mailboxKey(target), 'hex').toString('base64url');
    return `${this.publicUrl}/u/${this.box.seal([id, accountId, mailbox].join(' '), UNSUBSCRIBE_CONTEXT)}`;
  }

  /** @throws LinkNotValid if the token was cut, changed or made up */
  parseUnsubscribeToken(token: string): Subscription {
    const [channelId, accountId, mailbox] = this.openToken(token, UNSUBSCRIBE_CONTEXT).split(' ');
    if (channelId === undefined || accountId === undefined || mailbox === undefined) throw new LinkNotValid();
    return { channelId, recipient: { accountId, mailbox: Buffer.from(mailbox, 'base64url').toString('hex') } };
  }

  invitationUrl(token: string): string {
    return `${this.publicUrl ?? this.localUrl()}${invitationPath(token)}`;
  }

  confirmationUrl(confirmationId: string): string {
    return `${this.publicUrl ?? this.localUrl()}/confirm/${this.box.seal(confirmationId, CONFIRMATION_CONTEXT)}`;
  }

  /** @returns the id of the confirmation mail @throws LinkNotValid if the token was cut, changed or made up */
  parseConfirmationToken(token: string): string {
    return this.openToken(token, CONFIRMATION_CONTEXT);
  }

  private openToken(token: string, purpose: string): string {
    if (token.length > MAX_TOKEN_LENGTH) throw new LinkNotValid();
    try {
      return this.box.open(token, purpose);
    } catch (error) {
      if (error instanceof UnsealFailed || error instanceof OtherKeyNeeded) throw new LinkNotValid();
      throw error;
    }
  }

  private localUrl(): string {
    const { address, port } = (this.http.httpAdapter.getHttpServer() as Server).address() as AddressInfo;
    return listenerUrl(address, port);
  }
}
