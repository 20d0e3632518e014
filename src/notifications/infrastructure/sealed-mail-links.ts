import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Config } from '../../config.js';
import { SealBroken, SealingKeyMissing, SecretBox } from '../../platform/crypto/secret-box.js';
import { MailLinks } from '../domain/mail-links.js';

/** What a token is for; one for the one purpose does not open for the other. */
const UNSUBSCRIBING = 'a link to unsubscribe';
const CONFIRMING = 'a link to confirm';
/** Longer than any of ours. */
const LENGTH_LIMIT = 200;

/**
 * Tokens are ids sealed with the master key: authentic, unreadable, and good for as long as the key that made them is
 * MASTER_KEY or in MASTER_KEY_PREVIOUS.
 */
@Injectable()
export class SealedMailLinks extends MailLinks {
  private readonly publicUrl: string | null;

  constructor(
    { publicUrl }: Config,
    private readonly box: SecretBox,
    private readonly http: HttpAdapterHost,
  ) {
    super();
    this.publicUrl = publicUrl?.replace(/\/+$/, '') ?? null;
  }

  toUnsubscribe(channelId: string): string | null {
    return this.publicUrl === null ? null : `${this.publicUrl}/u/${this.box.seal(channelId, UNSUBSCRIBING)}`;
  }

  channelOf(token: string): string | null {
    return this.opened(token, UNSUBSCRIBING);
  }

  toConfirm(confirmationId: string): string {
    return `${this.publicUrl ?? this.ownAddress()}/confirm/${this.box.seal(confirmationId, CONFIRMING)}`;
  }

  confirmationOf(token: string): string | null {
    return this.opened(token, CONFIRMING);
  }

  private opened(token: string, purpose: string): string | null {
    if (token.length > LENGTH_LIMIT) return null;
    try {
      return this.box.open(token, purpose);
    } catch (error) {
      if (error instanceof SealBroken || error instanceof SealingKeyMissing) return null;
      throw error;
    }
  }

  /** Good on this machine, which is where somebody is who runs the service without a PUBLIC_URL. */
  private ownAddress(): string {
    const { port } = (this.http.httpAdapter.getHttpServer() as Server).address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }
}
