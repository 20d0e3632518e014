/** Limits the event streams of each account, over all processes. A slot that is not renewed becomes free. */
export abstract class StreamSlots {
  /** @returns the token of the slot; null when none is free */
  abstract acquire(accountId: string): Promise<string | null>;
  /** Extends the leases of these slots. */
  abstract renew(slots: readonly string[]): Promise<void>;
  abstract release(slot: string): Promise<void>;
}
