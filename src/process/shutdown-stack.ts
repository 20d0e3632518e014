/** What a process has opened, closed in the opposite order, whatever fails on the way. */
export class ShutdownStack {
  private readonly steps: (() => unknown)[] = [];

  push(closeAll: () => unknown): void {
    this.steps.push(closeAll);
  }

  /** @throws the failures together, after every step has had its turn. */
  async closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.steps.splice(0).reverse()) {
      try {
        await step();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) throw new AggregateError(failures, 'several things could not be closed');
  }
}
