import { Injectable } from '@nestjs/common';
import { type AuditAttributes, AuditTrail, type Caller } from '../../auth/index.js';
import { DomainName, type RegistrationRecord } from '../../domains/language.js';
import { DomainError } from '../../kernel/domain-error.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import type { EntryFilters } from '../domain/entry-filters.js';
import { type ManyChange, settingsToChange } from '../domain/many-change.js';
import type { Row, RowOutcome } from '../domain/row.js';
import { EntryReader } from '../entries/entry-reader.repository.js';
import { Run } from '../entries/run.js';
import { BATCH_SIZE, WriteRows } from '../entries/write-rows.js';

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
  /** The first few names whose entries are written. */
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

/** The number of matching entries has changed since the caller saw it. Nothing was written. */
class OtherEntriesMatch extends DomainError {
  constructor(matched: number, expected: number) {
    const text = `${matched} entries match, not ${expected}. Nothing was written: look at them again.`;
    super('precondition_failed', text, { matched });
  }
}

export interface ManyRequest {
  readonly account: Caller['account'];
  readonly filters: EntryFilters;
  readonly change: ManyChange | null;
  /** How many entries the caller expects to match; null means any number. */
  readonly expected: number | null;
  /** The filters and the change as the audit records show them. */
  readonly about: AuditAttributes;
}

/**
 * Changes or removes the entries that match filters. Skips entries that stop matching during the run. After an
 * interruption, the same request changes the rest.
 */
@Injectable()
export class ChangeMany {
  constructor(
    private readonly matching: EntryReader,
    private readonly rows: WriteRows,
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
  ) {}

  async preview(request: ManyRequest): Promise<ManySummary> {
    const domains = await this.find(request);
    const summary = new ManySummary(domains.length, request.change === null, true);
    for await (const _ of this.writeAll(request, domains, summary, null));
    return summary;
  }

  /**
   * Yields the summary after each batch.
   * @param signal stops the run before its next transaction
   * @throws OtherEntriesMatch if more or fewer entries match than expected, before any write
   * @throws PartlyWritten if interrupted
   */
  async *run(request: ManyRequest, signal: AbortSignal): AsyncGenerator<ManySummary, void, void> {
    const { account, change, about } = request;
    const domains = await this.find(request);
    const summary = new ManySummary(domains.length, change === null, false);
    if (domains.length === 0) return yield summary;
    const action = change ? 'watchlist.changed_many' : 'watchlist.removed_many';
    const kind = { action, accountId: account.id, about: { ...about, matched: domains.length } } as const;
    const run = new Run(kind, this.audit, this.work, signal);
    yield* run.follow(this.writeAll(request, domains, summary, run));
  }

  /** @param run null means a dry run, which writes nothing */
  private async *writeAll(
    request: ManyRequest,
    domains: readonly string[],
    summary: ManySummary,
    run: Run | null,
  ): AsyncGenerator<ManySummary, void, void> {
    const { account, filters, change } = request;
    for (let at = 0; at < domains.length; at += BATCH_SIZE) {
      const some = domains.slice(at, at + BATCH_SIZE);
      const records = change?.expectCurrent ? await this.matching.findRecords(account.id, some) : null;
      const rows = some.map((domain) => toRow(domain, request, records?.get(domain) ?? null));
      const outcomes = run
        ? await this.rows.run(account, rows, run, (some) => this.matching.findMatching(filters, some))
        : await this.rows.rehearse(account, rows);
      for (const [n, outcome] of outcomes.entries()) summary.add(rows[n]?.name.ascii ?? '', outcome);
      yield summary;
    }
  }

  /** @throws OtherEntriesMatch if more or fewer entries match than the request expects */
  private async find({ filters, expected }: ManyRequest): Promise<readonly string[]> {
    const domains = await this.matching.findDomains(filters);
    if (expected !== null && domains.length !== expected) throw new OtherEntriesMatch(domains.length, expected);
    return domains;
  }
}

function toRow(domain: string, { account, change }: ManyRequest, shown: RegistrationRecord | null): Row {
  const decide: Row['decide'] = ({ settings }) => {
    if (change === null) return { act: 'remove' };
    const changed = settingsToChange(settings, change, account.plan, shown);
    return changed ? { act: 'change', settings: changed } : { act: 'keep' };
  };
  const notifyCurrent = change?.notifyCurrent ?? false;
  return { name: DomainName.restore(domain), add: null, decide, notifyCurrent };
}
