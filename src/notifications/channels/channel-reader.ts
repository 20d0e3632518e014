import type { DisabledReason } from '../domain/channels/notification-channel.js';

export interface ChannelSummary {
  readonly id: string;
  readonly type: string;
  readonly target: string;
  readonly active: boolean;
}

export interface ChannelDetails extends ChannelSummary {
  /** How a product takes messages; null for types without, and for signed events. */
  readonly format: string | null;
  readonly eventTypes: readonly string[];
  readonly tags: readonly string[];
  /** By name; the values are sealed and never shown. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sealedCredential: string | null;
  readonly reason: DisabledReason | null;
  readonly disabledAt: Date | null;
  readonly createdAt: Date;
}

/** Channels as the API shows them, read straight from their rows. */
export abstract class ChannelReader {
  /** Of one account, oldest first. */
  abstract list(accountId: string): Promise<ChannelSummary[]>;
  /** null when the account has no such channel. */
  abstract find(accountId: string, id: string): Promise<ChannelDetails | null>;
}
