/** Gathers what trickles in, and hands it on in groups: when one is full, or when its first has waited long enough. */
export class ResultBatcher<Item> {
  private readonly handed: Promise<void>[] = [];
  private group: Item[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly limits: { readonly size: number; readonly wait: number },
    private readonly hand: (group: readonly Item[]) => Promise<void>,
  ) {}

  add(item: Item): void {
    this.group.push(item);
    if (this.group.length >= this.limits.size) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), this.limits.wait);
  }

  /** Hands on the rest. @throws what a hand threw, when all are through */
  async end(): Promise<void> {
    this.flush();
    const ended = await Promise.allSettled(this.handed);
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const group = this.group;
    this.group = [];
    if (group.length === 0) return;
    const handing = this.hand(group);
    handing.catch(() => undefined); // told by end()
    this.handed.push(handing);
  }
}
