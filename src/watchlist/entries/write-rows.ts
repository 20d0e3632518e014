import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/index.js';
import { OperatorRateLimits } from '../../domains/index.js';
import { Clock } from '../../kernel/clock.js';
import { TransactionConflict } from '../../kernel/unit-of-work.js';
import {
  changed,
  decideRow,
  type KnownEntry,
  refuseBeyondPlan,
  type Row,
  type RowOutcome,
  type WritingDecision,
} from '../domain/row.js';
import { WatchEntry } from '../domain/watch-entry.js';
import { WatchedName } from '../domain/watched-name.js';
import { WatchEntryRepository } from '../watch-entries.repository.js';
import { WatchedNameRepository } from '../watched-names.repository.js';
import { toAuditedEntry } from './entry-audit.js';
import { EntryBatch, type LockedEntry } from './entry-batch.js';
import { EntryRevision } from './entry-revision.js';
import type { Transactions, Written } from './run.js';

/** How many rows one transaction writes at most. Few, because results of checks wait for the names that it locks. */
export const BATCH_SIZE = 200;

interface Work {
  readonly row: Row;
  readonly decision: WritingDecision;
  readonly entry: KnownEntry | null;
}

interface Done {
  readonly outcome: RowOutcome;
  readonly entry: KnownEntry | null;
}

/** Returns the names whose entries still match a filter. Only these entries are written. */
type FindMatching = (domains: readonly string[]) => Promise<ReadonlySet<string>>;

interface Request {
  readonly account: Caller['account'];
  readonly transactions: Transactions;
  readonly findMatching: FindMatching | null;
}

/**
 * Adds, changes and removes entries. A transaction that has locked a name never waits for another name, so it cannot
 * deadlock with check results.
 */
@Injectable()
export class WriteRows {
  constructor(
    private readonly entries: WatchEntryRepository,
    private readonly names: WatchedNameRepository,
    private readonly batches: EntryBatch,
    private readonly revision: EntryRevision,
    private readonly budgets: OperatorRateLimits,
    private readonly clock: Clock,
  ) {}

  /** @param rows at most {@link BATCH_SIZE} @returns the outcomes in the order of the rows */
  run(
    account: Caller['account'],
    rows: readonly Row[],
    transactions: Transactions,
    findMatching: FindMatching | null = null,
  ): Promise<readonly RowOutcome[]> {
    const request = { account, transactions, findMatching };
    return this.settle(account, rows, async (work) => {
      const done = new Map<Row, Done>();
      const write = async (some: readonly Work[], which: 'free' | 'each') => {
        for (const [row, result] of await this.write(request, some, which)) done.set(row, result);
        return work.filter(({ row }) => !done.has(row));
      };
      for (let left = work; left.length > 0;) {
        const [first] = (left = await write(left, 'free'));
        // Waits until the name of this row is free. The other names may be free afterwards.
        if (first) left = await write([first], 'each');
      }
      return done;
    });
  }

  /**
   * A dry run of {@link run}, which writes nothing.
   * @param added the names that the dry run would have added so far; this call adds more names
   */
  rehearse(
    { id, plan }: Caller['account'],
    rows: readonly Row[],
    added: Set<string> = new Set(),
  ): Promise<readonly RowOutcome[]> {
    return this.settle({ id, plan }, rows, async (work) => {
      const hasAddition = work.some(({ decision }) => decision.act === 'add');
      let count = hasAddition ? (await this.entries.count(id)) + added.size : 0;
      return new Map(
        work.map(({ row, decision, entry }): [Row, Done] => {
          if (entry && decision.act !== 'add') return [row, rehearsed(decision, entry)];
          if (added.has(row.name.ascii)) return [row, { outcome: { outcome: 'existing', id: null }, entry: null }];
          const refusal = refuseBeyondPlan(plan, count);
          if (refusal) return [row, { outcome: refusal, entry: null }];
          count += 1;
          added.add(row.name.ascii);
          return [row, { outcome: { outcome: 'created', id: null }, entry: null }];
        }),
      );
    });
  }

  /** Decides rows of the same name one after another, because each may change the entry for the next row. */
  private async settle(
    { id }: Caller['account'],
    rows: readonly Row[],
    write: (work: readonly Work[]) => Promise<ReadonlyMap<Row, Done>>,
  ): Promise<readonly RowOutcome[]> {
    const domains = rows.map(({ name }) => name.ascii);
    const known = new Map<string, KnownEntry | null>(await this.entries.findByDomains(id, domains));
    const outcomes = new Map<Row, RowOutcome>();
    for (let open = rows; open.length > 0;) {
      const work = new Map<string, Work>();
      const again: Row[] = [];
      for (const row of open) {
        const { ascii } = row.name;
        if (work.has(ascii)) {
          again.push(row);
          continue;
        }
        const entry = known.get(ascii) ?? null;
        const decision = decideRow(row, entry);
        if ('outcome' in decision) outcomes.set(row, decision);
        else work.set(ascii, { row, decision, entry });
      }
      const done = work.size > 0 ? await write([...work.values()]) : new Map<Row, Done>();
      for (const [row, { outcome, entry }] of done) {
        outcomes.set(row, outcome);
        known.set(row.name.ascii, entry);
      }
      open = again;
    }
    return rows.map((row) => outcomes.get(row) ?? { outcome: 'gone' });
  }

  /** @param which `free` skips rows whose names are locked; `each` is for a single row and waits for the lock */
  private write(request: Request, work: readonly Work[], which: 'free' | 'each'): Promise<Map<Row, Done>> {
    return request.transactions.run(async (written) => {
      const done = new Map<Row, Done>();
      const additions = await this.admit(request.account, work, done);
      const inserted = await this.entries.insertNames(
        additions.map(({ row, settings }) => this.startName(row, settings.intervalMinutes)),
      );
      const isAlone = ({ row, settings }: Addition) => inserted.has(row.name.ascii) && !settings.paused;
      const adding = new Map(additions.map((one) => [one.row, one]));
      const existing = work.filter(({ row }) => !adding.has(row) && !done.has(row)).map(({ row }) => row);
      const toLock = [...additions.filter((one) => !isAlone(one)).map(({ row }) => row), ...existing];
      const locked = await this.lock(toLock, which);
      const created = additions.filter((one) => isAlone(one) || locked.has(one.row.name.ascii));
      if (which === 'each' && created.length < additions.length)
        throw new TransactionConflict('a name was purged while it was read');
      for (const [row, entry] of await this.create(request, created, locked))
        this.keep(done, row, { outcome: 'created', id: entry.id }, entry, written);
      const ready = which === 'each' ? existing : existing.filter(({ name }) => locked.has(name.ascii));
      await this.change(request, ready, locked, done, written);
      return done;
    });
  }

  /**
   * Blocks other additions to the account until the transaction ends.
   * @returns the entries to add
   */
  private async admit({ id, plan }: Caller['account'], work: readonly Work[], done: Map<Row, Done>) {
    const wanted = work.flatMap(({ row, decision }) =>
      decision.act === 'add' ? [{ row, settings: decision.settings }] : [],
    );
    if (wanted.length === 0) return [];
    let count = await this.entries.lockAndCount(id);
    const present = await this.entries.findIds(
      id,
      wanted.map(({ row }) => row.name),
    );
    return wanted.filter(({ row }) => {
      if (present.has(row.name.ascii)) return false; // added meanwhile, so the row concerns an existing entry
      const refusal = refuseBeyondPlan(plan, count);
      if (refusal) done.set(row, { outcome: refusal, entry: null });
      else count += 1;
      return refusal === null;
    });
  }

  private startName({ name }: Row, intervalMinutes: number): WatchedName {
    return WatchedName.create(name, this.budgets.operatorOf(name), intervalMinutes, this.clock.now());
  }

  private async lock(rows: readonly Row[], which: 'free' | 'each'): Promise<ReadonlyMap<string, WatchedName>> {
    const [first] = rows;
    if (!first) return new Map();
    const one = which === 'each' ? await this.names.findForUpdate(first.name) : null;
    const domains = rows.map(({ name }) => name.ascii);
    const names = which === 'each' ? (one ? [one] : []) : await this.names.findUnlockedForUpdate(domains);
    return new Map(names.map((name) => [name.domain, name]));
  }

  private async create(
    { account, transactions }: Request,
    additions: readonly Addition[],
    locked: ReadonlyMap<string, WatchedName>,
  ): Promise<readonly (readonly [Row, WatchEntry])[]> {
    const now = this.clock.now();
    const { importId } = transactions;
    const started = additions.map(({ row, settings }) => {
      const { name: domain, notifyCurrent = false } = row;
      const watch = {
        ...settings,
        accountId: account.id,
        domain,
        notifyCurrent,
        ...(importId !== null && { importId }),
      };
      return [row, WatchEntry.start(watch, now)] as const;
    });
    await this.entries.insertWithoutEvents(started.map(([, entry]) => entry));
    const paused = started.flatMap(([, entry]) => (entry.paused ? [entry.domain.ascii] : []));
    const others =
      paused.length > 0 ? await this.names.shortestIntervals(paused, account.id) : new Map<string, number>();
    for (const [, { domain, intervalMinutes, paused: isPaused }] of started) {
      const name = locked.get(domain.ascii);
      name?.addWatcher(intervalMinutes, now);
      if (name && isPaused) this.revision.reschedule(name, others.get(domain.ascii) ?? null, null);
    }
    return started;
  }

  private async change(
    { account, transactions, findMatching }: Request,
    rows: readonly Row[],
    names: ReadonlyMap<string, WatchedName>,
    done: Map<Row, Done>,
    written: Written[],
  ): Promise<void> {
    if (rows.length === 0) return;
    const wanted = rows.flatMap(({ name }) => names.get(name.ascii) ?? []);
    const entries = wanted.length > 0 ? await this.batches.lockEntries(account.id, wanted) : [];
    const matching = findMatching && (await findMatching(entries.map(({ entry }) => entry.domain.ascii)));
    const byDomain = new Map(entries.map((one) => [one.entry.domain.ascii, one]));
    const removals: LockedEntry[] = [];
    for (const row of rows) {
      const locked = byDomain.get(row.name.ascii);
      const isMeant = locked && (!matching || matching.has(row.name.ascii));
      const decision = isMeant ? decideRow(row, { id: locked.entry.id, settings: locked.entry }) : GONE;
      if ('outcome' in decision) done.set(row, { outcome: decision, entry: locked ? toKnown(locked.entry) : null });
      if (!locked || 'outcome' in decision) continue;
      const { entry } = locked;
      const former = toAuditedEntry(entry);
      if (decision.act === 'change') await this.revision.revise(account, locked, decision.settings, row.notifyCurrent);
      else removals.push(locked);
      const removed = { outcome: 'removed', id: entry.id } as const;
      const outcome = decision.act === 'change' ? changed(entry.id, decision.settings) : removed;
      this.keep(done, row, outcome, entry, written, former);
    }
    await this.revision.remove(removals, transactions.origin);
  }

  private keep(
    done: Map<Row, Done>,
    row: Row,
    outcome: Extract<RowOutcome, { readonly outcome: Written['act'] | 'existing' }>,
    entry: WatchEntry,
    written: Written[],
    former: Written['former'] = null,
  ): void {
    if (outcome.outcome !== 'existing') written.push({ act: outcome.outcome, entry, former });
    done.set(row, { outcome, entry: outcome.outcome === 'removed' ? null : toKnown(entry) });
  }
}

interface Addition {
  readonly row: Row;
  readonly settings: NonNullable<Row['add']>;
}

const GONE = { outcome: 'gone' } as const;

function toKnown(entry: WatchEntry): KnownEntry {
  return { id: entry.id, settings: entry };
}

/** Returns what a change or removal would do, without reading the entry again. */
function rehearsed(decision: Exclude<WritingDecision, { readonly act: 'add' }>, { id, settings }: KnownEntry): Done {
  if (decision.act === 'remove') return { outcome: { outcome: 'removed', id }, entry: null };
  return { outcome: changed(id, decision.settings), entry: { id, settings: { ...settings, ...decision.settings } } };
}
