import type { RecordValues } from './held-record.js';

/** A period in which a registry held one record; epoch milliseconds. */
export interface RecordSpan {
  /** null: the name was not registered. */
  readonly values: RecordValues | null;
  readonly from: number;
  /** When the parent zone published it, which is later than the registry or never. */
  readonly publishedAt: number | null;
  /** null: current. */
  readonly until: number | null;
}

/** The record of one name at its registry, with its history. */
export class RecordHistory {
  private readonly history: RecordSpan[] = [];

  get spans(): readonly RecordSpan[] {
    return this.history;
  }

  /** null: the name is not registered. */
  get values(): RecordValues | null {
    return this.history.at(-1)?.values ?? null;
  }

  changeTo(values: RecordValues | null, at: number): void {
    this.replaceLast({ until: at });
    this.history.push({ values, from: at, publishedAt: null, until: null });
  }

  publish(at: number): void {
    this.replaceLast({ publishedAt: at });
  }

  private replaceLast(change: Partial<RecordSpan>): void {
    const last = this.history.pop();
    if (last) this.history.push({ ...last, ...change });
  }
}
