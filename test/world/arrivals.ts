/** The arrivals at a fake receiver, and a way to wait for more without sleeping. */
export class Arrivals<Arrival> {
  readonly all: Arrival[] = [];
  private readonly waiting: { readonly count: number; readonly resolve: (all: Arrival[]) => void }[] = [];

  add(arrival: Arrival): void {
    this.all.push(arrival);
    for (const { count, resolve } of this.waiting) if (this.all.length >= count) resolve([...this.all]);
  }

  /** Resolves as soon as `count` have arrived. @throws after the timeout. */
  async waitFor(count: number, timeoutMs = 60_000): Promise<Arrival[]> {
    if (this.all.length >= count) return [...this.all];
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`${this.all.length} of ${count} arrived within ${timeoutMs} ms`));
      }, timeoutMs);
      this.waiting.push({
        count,
        resolve: (all) => {
          clearTimeout(timer);
          resolve(all);
        },
      });
    });
  }
}
