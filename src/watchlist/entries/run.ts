import type { AuditAttributes, AuditOrigin, AuditTrail } from '../../auth/index.js';
import { DomainError, PartlyWritten } from '../../kernel/domain-error.js';
import { newId } from '../../kernel/identifier.js';
import { TransactionConflict, type UnitOfWork } from '../../kernel/unit-of-work.js';
import type { WatchEntry } from '../domain/watch-entry.js';
import type { AuditedEntry } from './entry-audit.js';

export interface Written {
  readonly act: 'created' | 'changed' | 'removed';
  readonly entry: WatchEntry;
  readonly former: AuditedEntry | null;
}

/** Runs the transactions of a request, each with its audit record. */
export abstract class Transactions {
  /** The id of the import, which is stored with the entries that it adds; null if no import runs. */
  abstract readonly importId: string | null;
  abstract readonly origin: AuditOrigin;
  /** @param work writes entries, and adds an item to the list `written` for each entry */
  abstract run<Result>(work: (written: Written[]) => Promise<Result>): Promise<Result>;
}

/** Describes an import, or a change or removal of many entries. Its audit records include `about`. */
interface RunKind {
  readonly action: 'watchlist.imported' | 'watchlist.changed_many' | 'watchlist.removed_many';
  readonly accountId: string;
  readonly about: AuditAttributes;
}

const WORDS = {
  'watchlist.imported': { what: 'import', restart: 'Send the file again.', repeat: 'Send the whole file again' },
  'watchlist.changed_many': { what: 'change', restart: 'Send it again.', repeat: 'Send it again' },
  'watchlist.removed_many': { what: 'removal', restart: 'Send it again.', repeat: 'Send it again' },
} as const;
const IN_FLIGHT = 'The names written last may be stored or not.';
const KINDS = ['created', 'changed', 'removed'] as const;
type Counts = Record<(typeof KINDS)[number], number>;

/** The maximum number of attempts if a transaction conflicts with another. A failed attempt has written nothing. */
const MAX_ATTEMPTS = 10;

/** Each transaction of a run records its own changes, so the audit trail is right even after an interruption. */
export class Run extends Transactions {
  readonly id = newId('run');
  /** The actor and request for audit records. Stored here, because the run may outlive the request's context. */
  readonly origin: AuditOrigin;
  /** Counts only writes that are known to be committed. */
  readonly written: Counts = { created: 0, changed: 0, removed: 0 };
  private lastLine: number | null = null;
  private hasBegunToWrite = false;

  /** @param signal stops the run before its next transaction; {@link run} then throws the signal's reason */
  constructor(
    private readonly kind: RunKind,
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
    private readonly signal: AbortSignal,
  ) {
    super();
    this.origin = audit.origin();
  }

  get importId(): string | null {
    return this.kind.action === 'watchlist.imported' ? this.id : null;
  }

  async run<Result>(work: (written: Written[]) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      this.signal.throwIfAborted();
      this.hasBegunToWrite = true;
      try {
        return await this.runOnce(work);
      } catch (error) {
        if (!(error instanceof TransactionConflict) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /**
   * @throws DomainError if the request was refused before anything was written
   * @throws PartlyWritten for any other error
   */
  async *follow<Outcome>(outcomes: AsyncIterable<Outcome>): AsyncGenerator<Outcome, void, void> {
    try {
      yield* outcomes;
    } catch (error) {
      throw error instanceof DomainError && this.isRefusedBy(error) ? error : this.interruptedBy(error);
    }
  }

  /** Notes that all lines up to this line are done. Call in the order of the lines. */
  reachLine(line: number): void {
    this.lastLine = line;
  }

  private async runOnce<Result>(work: (written: Written[]) => Promise<Result>): Promise<Result> {
    const counts: Counts = { created: 0, changed: 0, removed: 0 };
    const result = await this.work.run(async () => {
      const written: Written[] = [];
      const done = await work(written);
      for (const { act } of written) counts[act] += 1;
      if (written.length > 0) await this.record(counts);
      return done;
    });
    for (const kind of KINDS) this.written[kind] += counts[kind];
    return result;
  }

  private record(counts: Counts): Promise<void> {
    const { action, accountId, about } = this.kind;
    const done = Object.fromEntries(Object.entries(counts).filter(([, entries]) => entries > 0));
    return this.audit.record({ action, accountId, targetId: this.id, after: { ...done, ...about } }, this.origin);
  }

  /** Whether the error refused the request before any write. An overload is no refusal, because a retry may succeed. */
  private isRefusedBy(error: DomainError): boolean {
    return !this.hasBegunToWrite && error.code !== 'overloaded';
  }

  /** Returns an error that says how much was written and how to continue. */
  private interruptedBy(cause: unknown): PartlyWritten {
    const { what, restart, repeat } = WORDS[this.kind.action];
    const lines = what === 'import' && { last_line: this.lastLine };
    const details = { written: KINDS.reduce((sum, kind) => sum + this.written[kind], 0), ...lines };
    const done = this.lastLine === null ? '' : `, and every line up to line ${this.lastLine} is done`;
    const advice = this.hasBegunToWrite ? `${IN_FLIGHT} ${repeat}: that is safe, and does the rest.` : restart;
    return new PartlyWritten(
      `The ${what} was interrupted: ${this.describeWritten()}${done}. ${advice}`,
      details,
      cause,
    );
  }

  private describeWritten(): string {
    if (!this.hasBegunToWrite) return 'nothing was written';
    const { created, changed, removed } = this.written;
    const acts = [
      [created, 'added'],
      [changed, 'changed'],
      [removed, 'removed'],
    ] as const;
    const [first, ...others] = acts.filter(([n]) => n > 0);
    if (!first) return 'nothing is known to be written';
    const [count, act] = first;
    const begin = `${count} ${count === 1 ? 'entry was' : 'entries were'} ${act}`;
    return [begin, ...others.map((part) => part.join(' '))].join(', ');
  }
}
