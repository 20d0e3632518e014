import { createHash } from 'node:crypto';

/** What looks like chance and is the same again for the same seed: mulberry32, one stream for each purpose. */
export class Chance {
  private state: number;

  constructor(private readonly seed: string) {
    this.state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  }

  /** A stream of its own: how often it is asked moves no other. */
  for(purpose: string): Chance {
    return new Chance(`${this.seed}/${purpose}`);
  }

  /** At least 0, below 1. */
  fraction(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(least: number, most: number): number {
    return least + this.fraction() * (most - least);
  }

  happens(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** @throws when there is nothing to choose from */
  of<One>(several: readonly One[]): One {
    const chosen = several[Math.floor(this.fraction() * several.length)];
    if (chosen === undefined) throw new Error('there is nothing to choose from');
    return chosen;
  }

  shuffled<One>(several: readonly One[]): One[] {
    return several
      .map((one) => ({ one, at: this.fraction() }))
      .sort((a, b) => a.at - b.at)
      .map(({ one }) => one);
  }
}
