import type { LeaseBatch, LeaseRepository } from '../ports/lease-repository.js';

/** The leases of a batch while it is worked on: renewed together whenever the next look could outlive them. */
export class LeasedBatch {
  private readonly claimed = new Set<string>();
  private held: ReadonlySet<string>;
  private renewal: Promise<void> | null = null;
  private renewedAt = performance.now();

  /** @param startWindowMs milliseconds after a renewal within which a look may still begin */
  constructor(
    private readonly batch: LeaseBatch,
    private readonly leases: LeaseRepository,
    private readonly startWindowMs: number,
  ) {
    this.held = new Set(batch.names);
  }

  /** Whether a look at the name may begin, and ends before its lease does. Asked once of each name. */
  async claim(name: string): Promise<boolean> {
    if (performance.now() - this.renewedAt > this.startWindowMs) await (this.renewal ??= this.renew());
    this.claimed.add(name);
    return this.held.has(name);
  }

  /** In a long queue leases may run out before their turn: a look for those would only keep the rest waiting. */
  private async renew(): Promise<void> {
    const names = this.batch.names.filter((name) => !this.claimed.has(name) && this.held.has(name));
    this.held = new Set(await this.leases.renew({ ...this.batch, names }));
    this.renewedAt = performance.now();
    this.renewal = null;
  }
}
