/** The places for streams that each account has, over all processes. A place that is not kept up becomes free. */
export abstract class StreamPlaces {
  /** @returns what the place is kept and left by; null when none is free */
  abstract take(accountId: string): Promise<string | null>;
  /** Keeps these for another while. */
  abstract keep(places: readonly string[]): Promise<void>;
  abstract leave(place: string): Promise<void>;
}
