import type { Outcome } from '../domain/deliveries/attempt.js';
import type { DeliveryState } from '../domain/deliveries/delivery.js';
import type { NameChange } from '../domain/events/name-change.js';

export interface AttemptRow {
  readonly number: number;
  readonly startedAt: Date;
  /** null while in progress, and for a lost attempt. */
  readonly durationMs: number | null;
  /** null while in progress. */
  readonly outcome: Outcome | null;
  readonly responseStatus: number | null;
  readonly responseExcerpt: string | null;
}

/** A delivery as the API shows it, read straight from its rows. */
export interface DeliveryRow {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  /** null for events about channels. */
  readonly change: NameChange | null;
  readonly channelId: string;
  readonly state: DeliveryState;
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
  /** Oldest first. */
  readonly attempts: readonly AttemptRow[];
}

export interface DeliveryPage {
  readonly rows: readonly DeliveryRow[];
  /** On all pages. */
  readonly total: number;
}

export abstract class DeliveryReader {
  /** Of one channel, newest first; `page` counts from 1. Empty for a channel of another account. */
  abstract page(accountId: string, channelId: string, page: number, perPage: number): Promise<DeliveryPage>;
  /** Of what was sent about one entry, newest first. Empty for an entry of another account. */
  abstract pageOfEntry(accountId: string, entryId: string, page: number, perPage: number): Promise<DeliveryPage>;
  /** Whether the account watches the entry, or has events of it from when it did. */
  abstract knowsEntry(accountId: string, entryId: string): Promise<boolean>;
  /** null when the account has no such delivery. */
  abstract find(accountId: string, id: string): Promise<DeliveryRow | null>;
}
