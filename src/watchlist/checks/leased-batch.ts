import type { LeaseBatch, LeaseRepository } from './leases.repository.js';

/** The leases of a batch in progress, renewed together before a lookup could outlive them. */
export class LeasedBatch {
  private readonly claimed = new Set<string>();
  private held: ReadonlySet<string>;
  private renewal: Promise<void> | null = null;
  private renewedAt = performance.now();

  /** @param startWindowMs after a renewal, lookups may start within this time */
  constructor(
    private readonly batch: LeaseBatch,
    private readonly leases: LeaseRepository,
    private readonly startWindowMs: number,
  ) {
    this.held = new Set(batch.names);
  }

  /** Claims a name for one lookup that will end before its lease. Call once per name. */
  async claim(name: string): Promise<boolean> {
    if (performance.now() - this.renewedAt > this.startWindowMs) await (this.renewal ??= this.renew());
    this.claimed.add(name);
    return this.held.has(name);
  }

  /** In a long queue leases may expire before their turn; those names are skipped. */
  private async renew(): Promise<void> {
    const names = this.batch.names.filter((name) => !this.claimed.has(name) && this.held.has(name));
    this.held = new Set(await this.leases.renew({ ...this.batch, names }));
    this.renewedAt = performance.now();
    this.renewal = null;
  }
}
