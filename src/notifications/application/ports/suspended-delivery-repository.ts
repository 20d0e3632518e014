/** Deliveries of accounts that are suspended wait; what the suspension paused goes out when the account is resumed. */
export abstract class SuspendedDeliveryRepository {
  /** Pauses what is pending, up to `limit`. @returns how many */
  abstract pauseBatch(limit: number): Promise<number>;
  /** Makes pending again what was paused by a suspension that is over. @returns how many */
  abstract resumeBatch(now: Date, limit: number): Promise<number>;
  /** Digests wait another hour, and confirmation mails are not sent. */
  abstract holdMail(now: Date): Promise<void>;
}
