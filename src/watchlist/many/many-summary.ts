import type { DomainError } from '../../kernel/domain-error.js';
import type { RowOutcome } from '../domain/row.js';

const FIRST_NAMES = 10;

interface Refusal {
  readonly code: string;
  readonly message: string;
  entries: number;
  readonly first: string[];
}

/** Counts the outcomes of a change of many entries, or of its dry run. */
export class ManySummary {
  done = 0;
  written = 0;
  unchanged = 0;
  /** Entries that were removed or stopped matching in the meantime. */
  gone = 0;
  /** The first names whose entries are written. */
  readonly first: string[] = [];
  private readonly byReason = new Map<string, Refusal>();

  constructor(
    readonly matched: number,
    readonly isRemoval: boolean,
    readonly isDryRun: boolean,
  ) {}

  add(domain: string, outcome: RowOutcome): void {
    this.done += 1;
    if (outcome.outcome === 'refused') this.refuse(domain, outcome.refusal);
    else if (outcome.outcome === 'gone') this.gone += 1;
    else if (outcome.outcome === 'existing') this.unchanged += 1;
    else if ((this.written += 1) <= FIRST_NAMES) this.first.push(domain);
  }

  get refusals(): readonly Readonly<Refusal>[] {
    return [...this.byReason.values()];
  }

  get refused(): number {
    return this.refusals.reduce((sum, { entries }) => sum + entries, 0);
  }

  private refuse(domain: string, { code, message }: DomainError): void {
    const refusal = this.byReason.get(message) ?? { code, message, entries: 0, first: [] };
    this.byReason.set(message, refusal);
    refusal.entries += 1;
    if (refusal.first.length < FIRST_NAMES) refusal.first.push(domain);
  }
}
