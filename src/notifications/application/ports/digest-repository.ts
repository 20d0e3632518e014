import type { AttemptOutcome } from '../../domain/deliveries/attempt.js';
import type { Claim, DeliveryState } from '../../domain/deliveries/delivery.js';
import type { DigestMail } from '../../domain/email/mail-sender.js';

/** Deliveries of a channel that wait to go out as one message. */
export interface PendingDigest {
  readonly id: string;
  readonly channelId: string;
  /** Attempts that failed. */
  readonly failures: number;
}

/** How an attempt at a digest ended, for each delivery in it alike. */
export interface DigestResult {
  readonly outcome: AttemptOutcome;
  readonly durationMs: number;
  readonly state: Extract<DeliveryState, 'pending' | 'delivered' | 'failed'>;
  /** null unless it is still pending. */
  readonly nextAttemptAt: Date | null;
}

/** All digests. Claiming is a statement of its own; the rest works inside a unit of work. */
export abstract class DigestRepository {
  /**
   * Lets deliveries, which the caller holds, wait for a digest, there or not yet, and frees them. What else is due on the
   * channel and held by nobody waits with them, rather than being claimed to be told so.
   */
  abstract hold(
    deliveryIds: readonly string[],
    digest: Omit<PendingDigest, 'failures'> & { dueAt: Date },
    now: Date,
  ): Promise<void>;
  /** Frees deliveries that are in a digest already: they were claimed while they were put there. */
  abstract release(deliveryIds: readonly string[]): Promise<void>;
  /** Claims those whose hour is over, each under a lease. */
  abstract claimDue(now: Date, limit: number): Promise<Claim[]>;
  /** The digest, locked, if the holder of this token still holds it. */
  abstract lockClaimed(claim: Claim): Promise<PendingDigest | null>;
  /**
   * Writes down that an attempt at all that is still pending in it begins; one that a dead holder had begun is lost.
   * @returns what is in it, oldest first
   */
  abstract startAttempts(id: string, now: Date): Promise<DigestMail['events']>;
  /** Writes down how it ended. A delivery that was paused or disabled meanwhile stays so, unless it arrived. */
  abstract finishAttempts(digest: PendingDigest, result: DigestResult): Promise<void>;
  /** Its channel takes nothing: what is in it is paused. */
  abstract pause(id: string): Promise<void>;
}
