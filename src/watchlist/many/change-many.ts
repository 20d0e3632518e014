import { Injectable } from '@nestjs/common';
import type { AuditAttributes, Caller } from '../../auth/index.js';
import { DomainError } from '../../kernel/domain-error.js';
import type { EntryFilters } from '../domain/entry-filters.js';
import { type ManyChange, settingsToChange } from '../domain/many-change.js';
import type { EntrySettings } from '../domain/entry-settings.js';
import { EntryBatch, type LockedEntry } from '../entries/entry-batch.js';
import { EntryRevision } from '../entries/entry-revision.js';
import { BulkAudit } from '../transfer/bulk-audit.js';
import type { BulkRun } from '../transfer/bulk-run.js';
import { TaggedEntryReader } from '../transfer/tagged-entries.repository.js';
import { MatchingEntryReader } from './matching-entries.repository.js';
import { ManySummary } from './many-summary.js';

/** Entries of one transaction: their names are locked until its commit, and routine results of them wait. */
const BATCH_SIZE = 200;
/** A preview locks nothing. */
const PREVIEW_SIZE = 1_000;

/** The entries are not as many as the caller saw. Nothing was written. */
class OtherEntriesMatch extends DomainError {
  constructor(matched: number, expected: number) {
    const text = `${matched} entries match, not ${expected}. Nothing was written: look at them again.`;
    super('precondition_failed', text, { matched });
  }
}

/** What becomes of the entries that match; null: they are removed. */
export interface ManyRequest {
  readonly account: Caller['account'];
  readonly filters: EntryFilters;
  readonly change: ManyChange | null;
  /** How many the caller expects to match; null: any number. */
  readonly expected: number | null;
  /** What the audit record says of filters and change. */
  readonly about: AuditAttributes;
}

/**
 * Changes or removes all entries that match when it begins, by the rules for one, in many short transactions. An entry
 * that stops matching meanwhile is left alone. Idempotent: sent again, it does the rest.
 */
@Injectable()
export class ChangeMany {
  constructor(
    private readonly matching: MatchingEntryReader,
    private readonly entries: TaggedEntryReader,
    private readonly batches: EntryBatch,
    private readonly revision: EntryRevision,
    private readonly bulk: BulkAudit,
  ) {}

  /** Says what would happen, and writes nothing. */
  async preview(request: ManyRequest): Promise<ManySummary> {
    const domains = await this.find(request);
    const summary = new ManySummary(domains.length, request.change === null, true);
    for (const some of chunks(domains, PREVIEW_SIZE)) {
      const entries = await this.entries.findByDomains(request.account.id, some);
      for (const { domain, settings } of entries.values()) {
        const decided = decide(settings, request);
        summary.add(domain, decided instanceof DomainError ? decided : decided === null ? 'unchanged' : 'written');
      }
    }
    return summary;
  }

  /**
   * Yields the summary so far after each transaction.
   * @param signal keeps the next transaction from beginning, and is why
   * @throws OtherEntriesMatch before anything is written; PartlyWritten
   */
  async *run(request: ManyRequest, signal: AbortSignal): AsyncGenerator<ManySummary, void, void> {
    const { account, change, about } = request;
    const domains = await this.find(request);
    const summary = new ManySummary(domains.length, change === null, false);
    if (domains.length === 0) return yield summary;
    const action = change ? 'watchlist.changed_many' : 'watchlist.removed_many';
    const work = { action, accountId: account.id, about: { ...about, matched: domains.length } } as const;
    yield* this.bulk.follow(work, (run) => this.writeAll(request, domains, summary, run), signal);
  }

  private async *writeAll(request: ManyRequest, domains: readonly string[], summary: ManySummary, run: BulkRun) {
    for (const some of chunks(domains, BATCH_SIZE)) {
      const outcomes = new Map<string, WrittenOutcome>();
      const write = (locked: readonly LockedEntry[]) => this.write(request, locked, outcomes, run);
      await this.batches.change(request.account.id, some, write, run);
      for (const domain of some) {
        const outcome = outcomes.get(domain) ?? 'gone';
        if (outcome !== 'written') run.tally(outcome instanceof DomainError ? 'refused' : outcome);
        summary.add(domain, outcome);
      }
      yield summary;
    }
  }

  /** Runs inside a unit of work. */
  private async write(
    request: ManyRequest,
    locked: readonly LockedEntry[],
    outcomes: Map<string, WrittenOutcome>,
    run: BulkRun,
  ): Promise<void> {
    if (locked.length === 0) return;
    const { account, filters, change } = request;
    const domains = locked.map(({ entry }) => entry.domain.ascii);
    const matching = await this.matching.findMatching(filters, domains);
    const chosen = locked.filter(({ entry }) => matching.has(entry.domain.ascii));
    if (change === null) await this.revision.remove(chosen, run.stored.origin);
    for (const one of chosen) {
      const decided = decide(one.entry, request);
      const isWritten = decided !== null && !(decided instanceof DomainError);
      if (isWritten && change !== null) await this.revision.revise(account, one, decided);
      if (isWritten) run.count(change === null ? 'removed' : 'changed');
      outcomes.set(one.entry.domain.ascii, isWritten ? 'written' : (decided ?? 'unchanged'));
    }
  }

  /** @throws OtherEntriesMatch */
  private async find({ filters, expected }: ManyRequest): Promise<readonly string[]> {
    const domains = await this.matching.findDomains(filters);
    if (expected !== null && domains.length !== expected) throw new OtherEntriesMatch(domains.length, expected);
    return domains;
  }
}

/** `gone`: no longer there, or it no longer matches. */
type WrittenOutcome = 'written' | 'unchanged' | 'gone' | DomainError;

/** Returns what is set of an entry, null where nothing is, or what refuses it. */
function decide(
  settings: EntrySettings,
  { account, change }: ManyRequest,
): Partial<EntrySettings> | DomainError | null {
  if (change === null) return {};
  try {
    return settingsToChange(settings, change, account.plan);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

function* chunks(domains: readonly string[], size: number): Generator<readonly string[]> {
  for (let at = 0; at < domains.length; at += size) yield domains.slice(at, at + size);
}
