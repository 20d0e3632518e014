/** Lags by the millisecond: a minute of a large installation is millions of checks. */
export class LagHistogram {
  private readonly counts = new Map<number, number>();
  private total = 0;

  add(ms: number): void {
    const bucket = Math.round(ms);
    this.counts.set(bucket, (this.counts.get(bucket) ?? 0) + 1);
    this.total += 1;
  }

  /** @param part of all lags, such as 0.99. @returns milliseconds that this part does not exceed; 0 without any lag */
  at(part: number): number {
    let seen = 0;
    for (const [ms, count] of [...this.counts].sort(([one], [other]) => one - other)) {
      seen += count;
      if (seen >= this.total * part) return ms;
    }
    return 0;
  }
}
