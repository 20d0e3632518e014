/** The places for streams that each account has, over all processes. A place that is not kept up becomes free. */
export abstract class StreamSlots {
  /** @returns what the place is kept and left by; null when none is free */
  abstract acquire(accountId: string): Promise<string | null>;
  /** Keeps these for another while. */
  abstract renew(slots: readonly string[]): Promise<void>;
  abstract release(slot: string): Promise<void>;
}
