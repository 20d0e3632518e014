import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../auth/index.js';
import { Config } from '../../../config/config.js';
import { OperatorQuotaService } from '../../../domains/index.js';
import type { DomainName } from '../../../domains/language.js';
import { Clock } from '../../../kernel/clock.js';
import type { DomainError } from '../../../kernel/domain-error.js';
import { UnitOfWork, TransactionConflict } from '../../../kernel/unit-of-work.js';
import { PlanQuota } from '../../domain/policies/plan-quota.js';
import { BulkEntryRepository, type ExistingName } from '../ports/bulk-entry-repository.js';
import { WatchEntryRepository } from '../../domain/entry/watch-entry-repository.js';
import { WatchEntry } from '../../domain/entry/watch-entry.js';
import type { EntrySettings } from '../../domain/entry/entry-settings.js';
import { WatchedName } from '../../domain/watched-name/watched-name.js';

export interface NewEntry {
  readonly name: DomainName;
  readonly wishes: EntrySettings;
}

/** What became of it; the id of the entry, null where nothing was written. */
export type AdditionResult =
  | { readonly kind: 'created' | 'existing'; readonly id: string | null }
  | { readonly kind: 'refused'; readonly refusal: DomainError };

/** So often a batch is begun again when others hold what it needs; each time it waited for half a second. */
const TRIES = 10;

/** Puts many names on an account's watchlist in one transaction, as if each were added alone, in their order. */
@Injectable()
export class BulkAddEntries {
  constructor(
    private readonly entries: WatchEntryRepository,
    private readonly additions: BulkEntryRepository,
    private readonly budgets: OperatorQuotaService,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** @throws TransactionConflict when others kept what it needs for seconds; then nothing is written. */
  async run(account: Caller['account'], wanted: readonly NewEntry[]): Promise<readonly AdditionResult[]> {
    for (let tries = 1; ; tries += 1)
      try {
        return await this.work.run(() => this.add(account, wanted));
      } catch (error) {
        if (!(error instanceof TransactionConflict) || tries === TRIES) throw error;
      }
  }

  /**
   * What would become of them; nothing is written.
   * @param rehearsed the names that were found to be new so far; those of this call are added
   */
  rehearse(account: Caller['account'], wanted: readonly NewEntry[], rehearsed: Set<string>): Promise<AdditionResult[]> {
    return this.work.run(async () => {
      const { admission, ids } = await this.admission(account, wanted, rehearsed);
      return wanted.map(({ name: { ascii } }) => {
        const ruling = admission.rule(ascii);
        if (ruling.kind === 'refused') return ruling;
        if (ruling.kind === 'new') rehearsed.add(ascii);
        return { kind: ruling.kind === 'new' ? 'created' : 'existing', id: ids.get(ascii) ?? null };
      });
    });
  }

  private async add(account: Caller['account'], wanted: readonly NewEntry[]): Promise<AdditionResult[]> {
    const { admission, ids } = await this.admission(account, wanted);
    const ruled = wanted.map((one) => ({ one, ruling: admission.rule(one.name.ascii) }));
    const created = await this.create(
      account,
      ruled.flatMap(({ one, ruling }) => (ruling.kind === 'new' ? [one] : [])),
    );
    return ruled.map(({ one: { name }, ruling }) => {
      if (ruling.kind === 'refused') return ruling;
      const id = ids.get(name.ascii) ?? created.get(name.ascii) ?? null;
      return { kind: ruling.kind === 'new' ? 'created' : 'existing', id };
    });
  }

  private async admission(account: Caller['account'], wanted: readonly NewEntry[], rehearsed?: Set<string>) {
    const held = await this.entries.countForAddition(account.id);
    const domains = new Set(wanted.map(({ name }) => name.ascii));
    const ids = await this.additions.entriesOf(account.id, [...domains]);
    const watched = [...ids.keys(), ...[...domains].filter((domain) => rehearsed?.has(domain))];
    return { ids, admission: new PlanQuota(account.plan, held + (rehearsed?.size ?? 0), watched) };
  }

  /** @returns the ids of the new entries, by name */
  private async create(account: Caller['account'], wanted: readonly NewEntry[]): Promise<Map<string, string>> {
    const now = this.clock.now();
    const starts = wanted.map(({ name, wishes }) =>
      WatchedName.start(name, this.budgets.operatorOf(name), wishes.intervalMinutes, now),
    );
    const known = await this.additions.startOrFind(starts);
    const entries = wanted.map((one) => this.start(account.id, one, known.get(one.name.ascii), now));
    // What starts from a proof has something to tell, which is told as of every entry; the others are rows, no more.
    entries.filter(({ proven }) => proven).forEach((entry) => this.entries.add(entry));
    await this.additions.addUntold(entries.filter(({ proven }) => !proven));
    return new Map(entries.map(({ domain, id }) => [domain.ascii, id]));
  }

  private start(accountId: string, { name, wishes }: NewEntry, known: ExistingName | undefined, now: Date): WatchEntry {
    known?.watched.welcome(wishes.intervalMinutes, now);
    const { accountIsolation, timeScale } = this.config;
    const recent = accountIsolation ? null : known?.watched.recentProof(wishes.intervalMinutes, now, timeScale);
    const testimony = known && recent ? { ...recent, formerProofAt: null, evidence: known.evidence } : null;
    return WatchEntry.start({ ...wishes, accountId, domain: name }, testimony, now);
  }
}
