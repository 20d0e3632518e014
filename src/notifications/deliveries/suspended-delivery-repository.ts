/** Deliveries of suspended accounts: paused, and sent once the account is resumed. */
export abstract class SuspendedDeliveryRepository {
  /** Pauses pending deliveries. @returns how many */
  abstract pauseBatch(limit: number): Promise<number>;
  /** Makes deliveries pending again that an ended suspension had paused. @returns how many */
  abstract resumeBatch(now: Date, limit: number): Promise<number>;
  /** Postpones digests by an hour and cancels confirmation mails. */
  abstract holdMail(now: Date): Promise<void>;
}
