import { type DomainError, PartlyWritten } from '../../kernel/domain-error.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import type { BulkRunRepository, StoredRun, WrittenEntries } from './bulk-runs.repository.js';

type Counts = { -readonly [Kind in keyof WrittenEntries]: number };

const WORDS = {
  'watchlist.imported': { what: 'import', restart: 'Send the file again.', repeat: 'Send the whole file again' },
  'watchlist.changed_many': { what: 'change', restart: 'Send it again.', repeat: 'Send it again' },
  'watchlist.removed_many': { what: 'removal', restart: 'Send it again.', repeat: 'Send it again' },
} as const;
const IN_FLIGHT = 'What was being written then may be stored or not.';

/**
 * The transactions of one import, change or removal, one after the other: each stores what it wrote with what it writes. Counts what is
 * committed, for the answer, and what was reported, for the record.
 */
export class BulkRun extends UnitOfWork {
  /** What is known to be committed. */
  readonly written: Counts = none();
  /** Outcomes that were reported, by their kind. */
  readonly reported: Record<string, number> = {};
  private pending: Counts = none();
  private lastLine: number | null = null;
  private hasBegunToWrite = false;

  constructor(
    readonly stored: StoredRun,
    private readonly work: UnitOfWork,
    private readonly runs: BulkRunRepository,
    private readonly signal: AbortSignal,
  ) {
    super();
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.signal.throwIfAborted();
    this.hasBegunToWrite = true;
    const pending = (this.pending = none());
    const result = await this.work.run(async () => {
      const written = await work();
      if (total(pending) > 0) await this.runs.add(this.stored, pending);
      return written;
    });
    for (const kind of KINDS) this.written[kind] += pending[kind];
    return result;
  }

  /** Call inside a transaction: so many entries are written by it. */
  count(kind: keyof WrittenEntries, entries = 1): void {
    this.pending[kind] += entries;
  }

  /** Outcomes come in the order of lines. */
  report({ line, outcome }: { readonly line: number | null; readonly outcome: string }): void {
    this.tally(outcome);
    if (line !== null) this.lastLine = line;
  }

  /** Counts outcomes that wrote nothing, for the record. */
  tally(outcome: string): void {
    this.reported[outcome] = (this.reported[outcome] ?? 0) + 1;
  }

  /** Whether the file was refused as a whole, before anything was written. */
  isRefusedBy(error: DomainError): boolean {
    return !this.hasBegunToWrite && error.code !== 'overloaded';
  }

  /** The failure, with what was written by then and what to do. */
  interruptedBy(cause: unknown): PartlyWritten {
    const { what, restart, repeat } = WORDS[this.stored.action];
    const lines = what === 'import' && { last_line: this.lastLine };
    const details = { written: total(this.written), ...lines };
    const done = this.lastLine === null ? '' : `, and every line up to line ${this.lastLine} is done`;
    const advice = this.hasBegunToWrite ? `${IN_FLIGHT} ${repeat}: that is safe, and does the rest.` : restart;
    return new PartlyWritten(
      `The ${what} was interrupted: ${this.describeWritten()}${done}. ${advice}`,
      details,
      cause,
    );
  }

  /** `300 entries were added, 2 changed` */
  private describeWritten(): string {
    if (!this.hasBegunToWrite) return 'nothing was written';
    const { created, changed, removed } = this.written;
    const acts = [
      [created, 'added'],
      [changed, 'changed'],
      [removed, 'removed'],
    ] as const;
    const parts = acts.filter(([n]) => n > 0);
    const [first, ...others] = parts;
    if (!first) return 'nothing is known to be written';
    const [count, act] = first;
    return [
      `${count} ${count === 1 ? 'entry was' : 'entries were'} ${act}`,
      ...others.map((part) => part.join(' ')),
    ].join(', ');
  }
}

const KINDS = ['created', 'changed', 'removed'] as const;

function none(): Counts {
  return { created: 0, changed: 0, removed: 0 };
}

function total({ created, changed, removed }: WrittenEntries): number {
  return created + changed + removed;
}
