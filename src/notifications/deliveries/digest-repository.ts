import type { AttemptOutcome } from '../domain/deliveries/attempt.js';
import type { Claim, DeliveryState } from '../domain/deliveries/delivery.js';
import type { Digest, DigestKind } from '../domain/digests/digest-sender.js';
import type { CountedMessage } from '../domain/digests/message-quota.js';

/** Deliveries of a channel that wait to be sent as one message. */
export interface PendingDigest {
  readonly id: string;
  readonly kind: DigestKind;
  readonly channelId: string;
  /** Failed attempts. */
  readonly failures: number;
}

/** The result of an attempt at a digest, the same for each delivery in it. */
export interface DigestResult {
  readonly outcome: AttemptOutcome;
  readonly durationMs: number;
  readonly state: Extract<DeliveryState, 'pending' | 'delivered' | 'failed'>;
  /** null unless still pending. */
  readonly nextAttemptAt: Date | null;
}

/** Runs inside a unit of work; `claimDue` is a statement of its own. */
export abstract class DigestRepository {
  /**
   * Adds claimed deliveries to a digest, creates it if needed, and ends their leases. Other due deliveries of the
   * channel without a lease are added too where there is no place for them either, which saves claiming them one by one.
   */
  abstract hold(
    deliveryIds: readonly string[],
    digest: Omit<PendingDigest, 'failures'> & { dueAt: Date },
    withoutPlace: readonly CountedMessage[],
    now: Date,
  ): Promise<void>;
  /** Ends the leases of deliveries that were claimed while another transaction added them to a digest. */
  abstract release(deliveryIds: readonly string[]): Promise<void>;
  /** Claims due digests, each under a lease. */
  abstract claimDue(kind: DigestKind, now: Date, limit: number): Promise<Claim[]>;
  /** The digest, locked; null when the claim is no longer valid. */
  abstract lockClaimed(kind: DigestKind, claim: Claim): Promise<PendingDigest | null>;
  /**
   * Starts an attempt at each pending delivery in it; unfinished attempts become `lost`.
   * @returns its events, urgent ones first, then the oldest
   */
  abstract startAttempts(digest: PendingDigest, now: Date): Promise<Digest['events']>;
  /** Stores the result. A delivery that was paused or disabled meanwhile stays so, unless it was delivered. */
  abstract finishAttempts(digest: PendingDigest, result: DigestResult): Promise<void>;
  /** Pauses its deliveries and removes it: the channel is inactive. */
  abstract pause(digest: PendingDigest): Promise<void>;
}
