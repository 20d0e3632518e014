/** A range of a channel's deliveries, by the times of their events, both included. */
export interface ReplayRange {
  readonly from: Date;
  readonly to: Date;
}

export interface NewReplay extends ReplayRange {
  readonly channelId: string;
  /** When the first attempts are due. */
  readonly requestedAt: Date;
}

/** Ranges that are being sent again, in short transactions of their own; they survive the process that began them. */
export abstract class ReplayRepository {
  /** How many deliveries of the range are not pending; counts no further than one above the limit. */
  abstract count(channelId: string, range: ReplayRange, limit: number): Promise<number>;
  /** Inside a unit of work. @returns its id */
  abstract start(replay: NewReplay): Promise<string>;
  /** Redelivers what is not pending of the next deliveries; inside a unit of work. @returns false when none is left */
  abstract advance(id: string, limit: number): Promise<boolean>;
  /** Replays that made no progress for so many seconds. */
  abstract findAbandoned(seconds: number): Promise<readonly string[]>;
}
