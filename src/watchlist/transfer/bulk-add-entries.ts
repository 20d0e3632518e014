import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/index.js';
import { OperatorRateLimits } from '../../domains/index.js';
import { Clock } from '../../kernel/clock.js';
import { DomainError } from '../../kernel/domain-error.js';
import { UnitOfWork, TransactionConflict } from '../../kernel/unit-of-work.js';
import { BulkEntryRepository } from './bulk-entries.repository.js';
import { WatchEntryRepository } from '../watch-entries.repository.js';
import { WatchEntry } from '../domain/watch-entry.js';
import { WatchedName } from '../domain/watched-name.js';
import type { NewWatch } from '../domain/entry-settings.js';
import { failedLine, type LineOutcome, type NewEntry } from './import-lines.js';
import type { BulkRun } from './bulk-run.js';
import type { Plan } from '../../auth/language.js';

/** Names that exist are locked until the commit, and routine results of them wait; more take too long. */
const MAX_KNOWN_NAMES = 50;

/** Retries of a batch after lock conflicts; each attempt waits for half a second. */
const MAX_ATTEMPTS = 10;

/** Whose entries are added, and by which import. */
type Owner = Required<Pick<NewWatch, 'accountId' | 'importId'>>;

/** Adds many entries in few transactions, with the same result as one by one in their order. */
@Injectable()
export class BulkAddEntries {
  constructor(
    private readonly entries: WatchEntryRepository,
    private readonly additions: BulkEntryRepository,
    private readonly budgets: OperatorRateLimits,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds any number, in as many transactions of the import as they need. Yields the outcomes of each when it is
   * committed, in the order of the entries.
   * @throws TransactionConflict when its locks stay taken for seconds; then nothing more is written
   */
  async *runAll(
    account: Caller['account'],
    newEntries: readonly NewEntry[],
    run: BulkRun,
  ): AsyncGenerator<readonly LineOutcome[], void, void> {
    for (const part of await this.split(newEntries)) yield await this.addPart(account, part, run);
  }

  private async addPart(account: Caller['account'], newEntries: readonly NewEntry[], run: BulkRun) {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await run.run(async () => {
          const outcomes = await this.add(account, newEntries, run.stored.auditId);
          run.count('created', outcomes.filter(({ outcome }) => outcome === 'created').length);
          return outcomes;
        });
      } catch (error) {
        if (!(error instanceof TransactionConflict) || attempt === MAX_ATTEMPTS) throw error;
      }
  }

  /** Cuts entries, in their order, into what one transaction may add. */
  private async split(newEntries: readonly NewEntry[]): Promise<readonly NewEntry[][]> {
    const known = await this.additions.findKnownNames(newEntries.map(({ name }) => name.ascii));
    const parts: NewEntry[][] = [];
    let knownNames = MAX_KNOWN_NAMES;
    for (const newEntry of newEntries) {
      if (knownNames >= MAX_KNOWN_NAMES) {
        parts.push([]);
        knownNames = 0;
      }
      parts.at(-1)?.push(newEntry);
      if (known.has(newEntry.name.ascii)) knownNames += 1;
    }
    return parts;
  }

  /**
   * Computes the outcomes without writing.
   * @param acceptedSoFar names accepted by earlier calls; this call adds its own
   */
  dryRun(
    account: Caller['account'],
    newEntries: readonly NewEntry[],
    acceptedSoFar: Set<string>,
  ): Promise<LineOutcome[]> {
    return this.work.run(async () => {
      const { decided, ids } = await this.decide(account, newEntries, acceptedSoFar);
      for (const { name } of accepted(decided)) acceptedSoFar.add(name.ascii);
      return decided.map((one) => toOutcome(one, ids));
    });
  }

  private async add(
    account: Caller['account'],
    newEntries: readonly NewEntry[],
    importId: string,
  ): Promise<LineOutcome[]> {
    const { decided, ids } = await this.decide(account, newEntries, new Set());
    const created = await this.create({ accountId: account.id, importId }, accepted(decided));
    const allIds = new Map([...ids, ...created]);
    return decided.map((one) => toOutcome(one, allIds));
  }

  /** Decides the entries in order, and returns the ids of those that exist. */
  private async decide(
    account: Caller['account'],
    newEntries: readonly NewEntry[],
    acceptedSoFar: ReadonlySet<string>,
  ): Promise<{ readonly decided: readonly DecidedEntry[]; readonly ids: ReadonlyMap<string, string> }> {
    const entryCount = await this.entries.lockAndCount(account.id);
    const domains = new Set(newEntries.map(({ name }) => name.ascii));
    const ids = await this.additions.findEntryIds(account.id, [...domains]);
    const watched = [...domains].filter((domain) => ids.has(domain) || acceptedSoFar.has(domain));
    const quota = new PlanQuota(account.plan, entryCount + acceptedSoFar.size, watched);
    return { ids, decided: newEntries.map((newEntry) => ({ newEntry, decision: quota.decide(newEntry.name.ascii) })) };
  }

  /** @returns the ids of the new entries, by name */
  private async create(owner: Owner, newEntries: readonly NewEntry[]): Promise<Map<string, string>> {
    const now = this.clock.now();
    const starts = newEntries.map(({ name, settings }) =>
      WatchedName.create(name, this.budgets.operatorOf(name), settings.intervalMinutes, now),
    );
    const known = await this.additions.createOrFindNames(starts);
    const entries = newEntries.map(({ name, settings }) => {
      known.get(name.ascii)?.addWatcher(settings.intervalMinutes, now);
      return WatchEntry.start({ ...settings, ...owner, domain: name }, now);
    });
    await this.additions.insertWithoutEvents(entries);
    return new Map(entries.map(({ domain, id }) => [domain.ascii, id]));
  }
}

/** What happens to a name of a list: a new entry, one that exists, or why there is none. */
type Decision = 'created' | 'existing' | DomainError;

interface DecidedEntry {
  readonly newEntry: NewEntry;
  readonly decision: Decision;
}

function accepted(decided: readonly DecidedEntry[]): NewEntry[] {
  return decided.filter(({ decision }) => decision === 'created').map(({ newEntry }) => newEntry);
}

function toOutcome({ newEntry, decision }: DecidedEntry, ids: ReadonlyMap<string, string>): LineOutcome {
  const { line, name } = newEntry;
  const domain = name.ascii;
  if (decision instanceof DomainError) return failedLine({ line, domain }, decision);
  return { line, domain, outcome: decision, id: ids.get(domain) ?? null };
}

/** Decides the names of a list in order: the first ones use up the plan; a repeated name exists by then. */
export class PlanQuota {
  private readonly watched: Set<string>;

  /** @param watched the names of the list that the account already watches */
  constructor(
    private readonly plan: Plan,
    private entryCount: number,
    watched: Iterable<string>,
  ) {
    this.watched = new Set(watched);
  }

  decide(domain: string): Decision {
    if (this.watched.has(domain)) return 'existing';
    try {
      this.plan.requireRoomFor('entries', this.entryCount);
    } catch (error) {
      if (error instanceof DomainError) return error;
      throw error;
    }
    this.entryCount += 1;
    this.watched.add(domain);
    return 'created';
  }
}
