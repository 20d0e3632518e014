import type { Installation, OperatorSchedule } from './installation.js';

/** As in the service: batches hold 64 names, an operator has 4 000 in flight, claims take what the limits allow in 2 s. */
const MAX_BATCH_SIZE = 64;
const MAX_IN_FLIGHT = 4_000;
const CLAIM_AHEAD_SECONDS = 2;

export interface Batch {
  readonly operator: SimulatedOperator;
  readonly size: number;
}

/** Names of one operator fall due evenly: the nth at its place in the interval. */
export class SimulatedOperator {
  private claimed = 0;
  private recorded = 0;
  private readonly dueEveryMs: number;
  /** Requests that the rate limit allows now. */
  tokens: number;

  constructor(
    private readonly schedule: OperatorSchedule,
    private readonly phase: number,
    private readonly installation: Installation,
  ) {
    this.dueEveryMs = (schedule.checkedEverySeconds * 1_000) / schedule.names;
    this.tokens = schedule.perSecond === 0 ? Infinity : 0;
  }

  refill(ms: number): void {
    const { perSecond } = this.schedule;
    if (perSecond > 0) this.tokens = Math.min(this.tokens + (perSecond * ms) / 1_000, Math.max(1, perSecond));
  }

  /** Requests that its concurrency allows in so many milliseconds. */
  requestsWithin(ms: number): number {
    return (this.schedule.concurrency * ms) / Math.max(this.installation.registryMs, 0.001);
  }

  claim(now: number): Batch[] {
    const due = Math.floor(now / this.dueEveryMs + this.phase) - this.claimed;
    const { perSecond } = this.schedule;
    const quota = perSecond === 0 ? MAX_IN_FLIGHT : Math.min(Math.ceil(perSecond * CLAIM_AHEAD_SECONDS), MAX_IN_FLIGHT);
    const names = Math.max(0, Math.min(due, quota - (this.claimed - this.recorded)));
    this.claimed += names;
    const count = Math.ceil(names / MAX_BATCH_SIZE);
    const size = Math.ceil(names / count);
    return Array.from({ length: count }, (_, i) => ({
      operator: this,
      size: Math.min(size, names - i * size),
    }));
  }

  /** @returns when each was due */
  record(names: number): number[] {
    const due = Array.from({ length: names }, (_, i) => (this.recorded + i + 1 - this.phase) * this.dueEveryMs);
    this.recorded += names;
    return due;
  }
}
