import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Recipient, mailboxKey } from '../domain/address-confirmation.js';
import { MailConfig } from '../../config/sections.js';
import { UnsealFailed, MasterKeyMissing, SecretBox } from '../../platform/crypto/secret-box.js';
import { listenerUrl } from '../../platform/outbound/smtp-relay.js';

export interface MailedChannel {
  readonly id: string;
  readonly accountId: string;
  /** Its canonical address. */
  readonly target: string;
}

/** What an unsubscribe link ends. */
export interface Subscription {
  readonly channelId: string;
  readonly recipient: Recipient;
}

/** A token opens in its own context only. */
const UNSUBSCRIBE_CONTEXT = 'a link to unsubscribe';
const CONFIRMATION_CONTEXT = 'a link to confirm';
/** Longer than any valid token. */
const MAX_TOKEN_LENGTH = 300;

/**
 * Tokens are ids sealed with the master key; they stay valid as long as that key is MASTER_KEY or in
 * MASTER_KEY_PREVIOUS.
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

  /** Includes the mailbox, so that unsubscribing works after the channel was deleted. */
  unsubscribeUrl({ id, accountId, target }: MailedChannel): string | null {
    if (this.publicUrl === null) return null;
    const mailbox = Buffer.from(mailboxKey(target), 'hex').toString('base64url');
    return `${this.publicUrl}/u/${this.box.seal([id, accountId, mailbox].join(' '), UNSUBSCRIBE_CONTEXT)}`;
  }

  /** null for an invalid token */
  parseUnsubscribeToken(token: string): Subscription | null {
    const [channelId, accountId, mailbox] = this.openToken(token, UNSUBSCRIBE_CONTEXT)?.split(' ') ?? [];
    if (channelId === undefined || accountId === undefined || mailbox === undefined) return null;
    return { channelId, recipient: { accountId, mailbox: Buffer.from(mailbox, 'base64url').toString('hex') } };
  }

  confirmationUrl(confirmationId: string): string {
    return `${this.publicUrl ?? this.localUrl()}/confirm/${this.box.seal(confirmationId, CONFIRMATION_CONTEXT)}`;
  }

  /** @returns the id of the confirmation; null for an invalid token */
  parseConfirmationToken(token: string): string | null {
    return this.openToken(token, CONFIRMATION_CONTEXT);
  }

  private openToken(token: string, purpose: string): string | null {
    if (token.length > MAX_TOKEN_LENGTH) return null;
    try {
      return this.box.open(token, purpose);
    } catch (error) {
      if (error instanceof UnsealFailed || error instanceof MasterKeyMissing) return null;
      throw error;
    }
  }

  private localUrl(): string {
    const { address, port } = (this.http.httpAdapter.getHttpServer() as Server).address() as AddressInfo;
    return listenerUrl(address, port);
  }
}
