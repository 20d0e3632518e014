import { createHash } from 'node:crypto';

/** Deterministic random numbers (mulberry32), one stream per purpose. */
export class SeededRandom {
  private state: number;

  constructor(private readonly seed: string) {
    this.state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  }

  /** An independent stream. */
  fork(purpose: string): SeededRandom {
    return new SeededRandom(`${this.seed}/${purpose}`);
  }

  /** Returns a number from 0 on and below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  nextBoolean(probability: number): boolean {
    return this.next() < probability;
  }

  /** @throws when the list is empty */
  pick<One>(items: readonly One[]): One {
    const chosen = items[Math.floor(this.next() * items.length)];
    if (chosen === undefined) throw new Error('there is nothing to choose from');
    return chosen;
  }

  shuffle<One>(items: readonly One[]): One[] {
    return items
      .map((one) => ({ one, at: this.next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ one }) => one);
  }
}
