/** What somebody did by the API, and what they were told. */
export interface Deed {
  readonly kind: 'entry' | 'channel' | 'key';
  /** What nobody else has: a domain, a target, the name of a key. */
  readonly subject: string;
  /** null: no answer ever came. */
  id: string | null;
  /** `asked`: nobody knows whether it was done. */
  added: 'asked' | 'answered';
  removed: 'no' | 'asked' | 'answered';
  /** When that was heard, milliseconds of the epoch; null: never. */
  removedAt: number | null;
}

/** A check that was answered with a status; milliseconds of the epoch. */
export interface Checked {
  readonly name: string;
  readonly status: string;
  readonly from: number;
  readonly to: number;
}

/** What clients were told, to be compared with what there is in the end. */
export class Ledger {
  readonly deeds: Deed[] = [];
  readonly checked: Checked[] = [];

  begins(kind: Deed['kind'], subject: string): Deed {
    const deed: Deed = { kind, subject, id: null, added: 'asked', removed: 'no', removedAt: null };
    this.deeds.push(deed);
    return deed;
  }
}
