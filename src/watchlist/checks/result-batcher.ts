/** Collects items and flushes them in batches: when one is full, or its first item has waited long enough. */
export class ResultBatcher<Item> {
  private readonly flushes: Promise<void>[] = [];
  private group: Item[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly limits: { readonly size: number; readonly waitMs: number },
    private readonly flushBatch: (group: readonly Item[]) => Promise<void>,
  ) {}

  add(item: Item): void {
    this.group.push(item);
    if (this.group.length >= this.limits.size) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), this.limits.waitMs);
  }

  /** Flushes the rest. @throws the first error of any flush, after all have ended */
  async close(): Promise<void> {
    this.flush();
    const ended = await Promise.allSettled(this.flushes);
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const group = this.group;
    this.group = [];
    if (group.length === 0) return;
    const flushing = this.flushBatch(group);
    flushing.catch(() => undefined); // rethrown by close()
    this.flushes.push(flushing);
  }
}
