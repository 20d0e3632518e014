import { Injectable } from '@nestjs/common';
import { type AuditEntry, type AuditOrigin, AuditTrail, type Caller } from '../../auth/index.js';
import { CheckDomain } from '../../domains/index.js';
import type { DomainName } from '../../domains/language.js';
import { PreconditionFailed } from '../../kernel/domain-error.js';
import { TransactionConflict, UnitOfWork } from '../../kernel/unit-of-work.js';
import { WatchEntryRepository } from '../watch-entries.repository.js';
import { type WatchEntry, AlreadyWatched, EntryNotFound } from '../domain/watch-entry.js';
import { type EntrySettings, type EntrySettingsInput, omitUndefined, withDefaults } from '../domain/entry-settings.js';
import type { Row } from '../domain/row.js';
import { WatchedNameRepository } from '../watched-names.repository.js';
import { entryAdded, entryChanged, entryRemoved } from './entry-audit.js';
import { currentTraceparent } from '../../platform/tracing/spans.js';
import { Transactions, type Written } from './run.js';
import { WriteRows } from './write-rows.js';

/** Adds, changes and removes single watchlist entries, each with an audit record. Queries no registry. */
@Injectable()
export class WatchlistService {
  constructor(
    private readonly checks: CheckDomain,
    private readonly entries: WatchEntryRepository,
    private readonly names: WatchedNameRepository,
    private readonly work: UnitOfWork,
    private readonly rows: WriteRows,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * @throws InvalidDomainNameError, IntervalNotAllowed, AlreadyWatched or PlanLimitReached before anything is written
   */
  async add(
    account: Caller['account'],
    domain: string,
    input: EntrySettingsInput = {},
    notifyCurrent = false,
  ): Promise<WatchEntry> {
    const name = this.checks.parse(domain);
    const refuse: Row['decide'] = ({ id }) => {
      throw new AlreadyWatched(name.ascii, id);
    };
    const row = { name, add: withDefaults(input, account.plan), decide: refuse, notifyCurrent };
    const entry = await this.write(account, row, () => this.continueTrace(name));
    if (!entry) throw new TransactionConflict('the entry of this name was removed meanwhile');
    return entry;
  }

  /**
   * @param isExpected a precondition, evaluated while the entry is locked
   * @throws EntryNotFound, PreconditionFailed or IntervalNotAllowed before anything is written
   */
  async change(
    account: Caller['account'],
    id: string,
    input: EntrySettingsInput,
    isExpected: (settings: EntrySettings) => boolean = () => true,
    notifyCurrent = false,
  ): Promise<void> {
    const settings = omitUndefined(input);
    const decide: Row['decide'] = (entry) => {
      if (!isExpected(entry.settings)) throw new PreconditionFailed();
      return { act: 'change', settings };
    };
    await this.writeExisting(account, id, decide, notifyCurrent);
  }

  /** @throws EntryNotFound for an unknown id or another account's entry */
  remove(account: Caller['account'], id: string): Promise<void> {
    return this.writeExisting(account, id, () => ({ act: 'remove' }));
  }

  /** @throws EntryNotFound if the entry is gone, even if the account has a new entry for the same name */
  private async writeExisting(
    account: Caller['account'],
    id: string,
    decide: Row['decide'],
    notifyCurrent = false,
  ): Promise<void> {
    const name = await this.entries.findDomain(account.id, id);
    const isMeant: Row['decide'] = (entry) => (entry.id === id ? decide(entry) : { act: 'leave' });
    const written = name && (await this.write(account, { name, add: null, decide: isMeant, notifyCurrent }));
    if (!written) throw new EntryNotFound();
  }

  private async write(
    account: Caller['account'],
    row: Row,
    alongside: () => Promise<void> = () => Promise.resolve(),
  ): Promise<WatchEntry | null> {
    const alone = new RecordedAlone(this.audit, this.work, alongside);
    const [done] = await this.rows.run(account, [row], alone);
    if (done?.outcome === 'refused') throw done.refusal;
    return alone.entry;
  }

  private async continueTrace(name: DomainName): Promise<void> {
    const traceparent = currentTraceparent();
    if (traceparent !== null) await this.names.continueTrace(name, traceparent);
  }
}

class RecordedAlone extends Transactions {
  readonly importId = null;
  readonly origin: AuditOrigin;
  entry: WatchEntry | null = null;

  constructor(
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
    private readonly alongside: () => Promise<void>,
  ) {
    super();
    this.origin = audit.origin();
  }

  async run<Result>(work: (written: Written[]) => Promise<Result>): Promise<Result> {
    return this.work.run(async () => {
      const written: Written[] = [];
      const result = await work(written);
      for (const one of written) {
        const act = toAct(one);
        if (act) await this.audit.record(act, this.origin);
        this.entry = one.entry;
      }
      if (written.length > 0) await this.alongside();
      return result;
    });
  }
}

function toAct({ act, entry, former }: Written): AuditEntry | null {
  if (act === 'created') return entryAdded(entry);
  if (act === 'removed') return entryRemoved(entry);
  return former && entryChanged(entry, former);
}
