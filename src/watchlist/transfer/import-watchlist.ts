import { Injectable } from '@nestjs/common';
import { AuditTrail, type Caller } from '../../auth/index.js';
import { CheckDomain } from '../../domains/index.js';
import { DomainName } from '../../domains/language.js';
import { DomainError } from '../../kernel/domain-error.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { InvalidRequest } from '../../platform/http/errors/invalid-request.js';
import type { Row, RowOutcome } from '../domain/row.js';
import { EntryNotFound } from '../domain/watch-entry.js';
import { EntryReader } from '../entries/entry-reader.repository.js';
import { Run } from '../entries/run.js';
import { BATCH_SIZE, WriteRows } from '../entries/write-rows.js';
import {
  type FailedLine,
  failedLine,
  type ImportOutcome,
  type LineOutcome,
  type ParsedLine,
  toBatches,
  validateLine,
} from './import-lines.js';
import { type ImportMode, type ImportRules, importRules, type SyncOptions } from './import-rules.js';

class TooManyRemovals extends DomainError {
  constructor(removals: number, limit: number) {
    super(
      'too_many_removals',
      `${removals} watched names are not in the file, and at most ${limit} may be removed. Nothing was written.`,
      { limit },
    );
  }
}

interface Reading {
  readonly account: Caller['account'];
  readonly rules: ImportRules;
  readonly run: Run | null;
  /** The names whose entries a dry run would have added so far. */
  readonly rehearsed: Set<string>;
  /** Whether watchers are notified of the current state even if nothing has changed. */
  readonly notifyCurrent: boolean;
}

/** Makes the state of one reading of the file. `writes` is null in a dry run. */
type StartReading = (writes: Run | null) => Reading;

/** Error codes of a line that does not contain a domain name at all. */
const NO_NAME: ReadonlySet<string> = new Set(['domain_malformed', 'label_too_long']);

/** Importing a file twice is safe. An invalid line affects no other line, but makes a sync write nothing. */
@Injectable()
export class ImportWatchlist {
  constructor(
    private readonly rows: WriteRows,
    private readonly matching: EntryReader,
    private readonly checks: CheckDomain,
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
  ) {}

  startRun(accountId: string, mode: ImportMode, signal: AbortSignal): Run {
    const about = typeof mode === 'object' ? { scope_tag: mode.scopeTag } : {};
    return new Run({ action: 'watchlist.imported', accountId, about }, this.audit, this.work, signal);
  }

  /**
   * Yields the outcome of each line in order, after the line is written, then those of entries that the file lacks.
   * @param readLines reads the file anew
   * @param run null in a dry run, which writes nothing
   * @throws InvalidRequest if the file is unusable, or TooManyRemovals; both before any write
   * @throws PartlyWritten if interrupted
   */
  run(
    account: Caller['account'],
    readLines: () => AsyncIterable<ParsedLine>,
    mode: ImportMode,
    run: Run | null,
    notifyCurrent = false,
  ): AsyncGenerator<ImportOutcome, void, void> {
    const start: StartReading = (writes) => ({
      account,
      run: writes,
      rules: importRules(mode),
      rehearsed: new Set<string>(),
      notifyCurrent,
    });
    const outcomes =
      typeof mode === 'object' ? this.sync(start, readLines, mode, run) : this.apply(start(run), readLines());
    return run ? run.follow(outcomes) : outcomes;
  }

  /** Writes nothing if any line is invalid, and then yields `skipped` for all other lines. */
  private async *sync(
    start: StartReading,
    readLines: () => AsyncIterable<ParsedLine>,
    options: SyncOptions,
    run: Run | null,
  ): AsyncGenerator<ImportOutcome, void, void> {
    const plan = start(null);
    let [failures, hasReadName] = [0, false];
    for await (const outcome of this.apply(plan, readLines())) {
      if (outcome.outcome === 'failed') failures += 1;
      hasReadName ||= outcome.outcome !== 'failed' || (outcome.domain !== null && !NO_NAME.has(outcome.code));
    }
    if (!hasReadName)
      throw InvalidRequest.malformed('No name was read in the file, so nothing was changed or removed.');
    if (failures > 0) return yield* this.skipValid(start(null), readLines());
    await this.rejectTooManyRemovals(plan, options);
    const reading = start(run);
    for await (const outcome of this.apply(reading, readLines())) {
      if (outcome.outcome === 'failed') failures += 1; // something has changed since the dry run, so nothing is removed
      yield outcome;
    }
    yield* this.sweep(reading, failures > 0 ? { ...options, maxRemovals: null } : options);
  }

  private async *skipValid(
    reading: Reading,
    lines: AsyncIterable<ParsedLine>,
  ): AsyncGenerator<LineOutcome, void, void> {
    for await (const one of this.apply(reading, lines))
      yield one.outcome === 'failed' ? one : { line: one.line, domain: one.domain, outcome: 'skipped' };
  }

  private async *apply(reading: Reading, lines: AsyncIterable<ParsedLine>): AsyncGenerator<LineOutcome, void, void> {
    for await (const batch of toBatches(lines)) {
      const read = batch.map((line) => this.toRow(reading, line));
      const rows = read.flatMap((one) => ('row' in one ? [one.row] : []));
      const written = (rows.length > 0 ? await this.write(reading, rows) : []).values();
      for (const one of read) {
        reading.run?.reachLine(one.line);
        yield 'row' in one ? toLineOutcome(one.line, one.row, written.next().value) : one;
      }
    }
  }

  private toRow({ account, rules, notifyCurrent }: Reading, line: ParsedLine): { line: number; row: Row } | FailedLine {
    const valid = validateLine(line, account, this.checks);
    if ('outcome' in valid) return valid;
    const row = rules.toRow(valid);
    return 'outcome' in row ? row : { line: valid.line, row: { ...row, notifyCurrent } };
  }

  private write({ account, run, rehearsed }: Reading, rows: readonly Row[]): Promise<readonly RowOutcome[]> {
    return run ? this.rows.run(account, rows, run) : this.rows.rehearse(account, rows, rehearsed);
  }

  private async rejectTooManyRemovals(reading: Reading, { scopeTag, maxRemovals }: SyncOptions): Promise<void> {
    if (maxRemovals === null) return;
    const removals = (await this.findUnlisted(reading, scopeTag)).length;
    if (removals > maxRemovals) throw new TooManyRemovals(removals, maxRemovals);
  }

  private async *sweep(
    reading: Reading,
    { scopeTag, maxRemovals }: SyncOptions,
  ): AsyncGenerator<ImportOutcome, void, void> {
    const unlisted = await this.findUnlisted(reading, scopeTag);
    const allowed = maxRemovals ?? 0; // applies again, because more entries may be missing than in the dry run
    for (let at = 0; at < unlisted.length;) {
      const isAllowed = at < allowed;
      const end = Math.min(at + BATCH_SIZE, isAllowed ? allowed : unlisted.length);
      const rows = unlisted.slice(at, end).map((domain) => toRemoval(domain, scopeTag));
      const outcomes = isAllowed ? await this.write(reading, rows) : await this.rows.rehearse(reading.account, rows);
      for (const [n, one] of outcomes.entries()) {
        const domain = rows[n]?.name.ascii;
        // Skips an entry that somebody else removed since, or whose tag was taken away.
        if (one.outcome !== 'removed' || one.id === null || domain === undefined) continue;
        yield { line: null, domain, outcome: isAllowed ? 'removed' : 'unlisted', id: one.id };
      }
      at = end;
    }
  }

  private async findUnlisted({ account, rules }: Reading, tag: string): Promise<readonly string[]> {
    const tagged = await this.matching.findDomains({ accountId: account.id, tags: [tag] });
    return tagged.filter((domain) => !rules.hasNamed(domain));
  }
}

function toRemoval(domain: string, tag: string): Row {
  const decide: Row['decide'] = ({ settings }) => ({ act: settings.tags.includes(tag) ? 'remove' : 'leave' });
  return { name: DomainName.restore(domain), add: null, decide };
}

function toLineOutcome(line: number, { name }: Row, written: RowOutcome | undefined): LineOutcome {
  const domain = name.ascii;
  if (written?.outcome === 'changed') return { line, domain, ...written };
  if (written?.outcome === 'created' || written?.outcome === 'existing')
    return { line, domain, outcome: written.outcome, id: written.id };
  return failedLine({ line, domain }, written?.outcome === 'refused' ? written.refusal : new EntryNotFound());
}
