import { Injectable } from '@nestjs/common';
import { type SyncedField, ChangeTaggedEntries, findDescribedDifferences } from './change-tagged-entries.js';
import type { Caller } from '../../auth/index.js';
import { WatchConfig } from '../../config/sections.js';
import { CheckDomain } from '../../domains/index.js';
import { DomainError } from '../../kernel/domain-error.js';
import { InvalidRequest } from '../../platform/http/errors/invalid-request.js';
import { type TaggedEntry, TaggedEntryReader } from './tagged-entries.repository.js';
import { BulkAddEntries } from './bulk-add-entries.js';
import {
  type FailedLine,
  failedLine,
  type LineOutcome,
  type NewEntry,
  type ParsedLine,
  toBatches,
  validateLine,
} from './import-lines.js';
import type { BulkRun } from './bulk-run.js';
import { MAX_TAGS } from '../domain/entry-settings.js';

export interface SyncOptions {
  /** Only entries with this tag are changed or removed, and every line gets it. */
  readonly scopeTag: string;
  /** How many entries that the file does not name may be removed; null removes none. */
  readonly maxRemovals: number | null;
}

/** The outcome of a line of a sync. */
type SyncedLine =
  | LineOutcome
  | { readonly line: number; readonly domain: string | null; readonly outcome: 'skipped' }
  | {
      readonly line: number;
      readonly domain: string;
      readonly outcome: 'changed';
      readonly id: string;
      /** Settings that differ, by their names in the API. */
      readonly fields: readonly SyncedField[];
    };

/** The outcome of a line, or of an entry with the tag that the file does not name. */
export type SyncOutcome =
  | SyncedLine
  | { readonly line: null; readonly domain: string; readonly outcome: 'removed' | 'unlisted'; readonly id: string };

/** The removals exceed what the caller allowed. Nothing was written. */
class TooManyRemovals extends DomainError {
  constructor(removals: number, limit: number) {
    super(
      'too_many_removals',
      `${removals} watched names are not in the file, and at most ${limit} may be removed. Nothing was written.`,
      { limit },
    );
  }
}

interface Pass extends SyncOptions {
  readonly account: Caller['account'];
  /** null: only plan. */
  readonly run: BulkRun | null;
  readonly lines: ScopedLines;
  /** Names that a plan would add. */
  readonly accepted: Set<string>;
}

interface ComparedEntry {
  readonly newEntry: NewEntry;
  readonly outcome: SyncedLine;
}

const PAGE_SIZE = 1_000;

/**
 * Makes the entries with a tag equal to a file. The file is read twice: once to plan, which writes nothing and rejects
 * the file if a line is invalid or too many entries would be removed, and once to write. Additions and changes come
 * first, removals last, each transaction on its own: what a crash leaves is the beginning of the plan, and a repetition
 * does the rest. Idempotent.
 */
@Injectable()
export class SyncWatchlist {
  constructor(
    private readonly additions: BulkAddEntries,
    private readonly entries: TaggedEntryReader,
    private readonly changes: ChangeTaggedEntries,
    private readonly checks: CheckDomain,
    private readonly config: WatchConfig,
  ) {}

  /**
   * Yields the outcome of each line in order, after it is written, then those of entries that the file does not name.
   * If any line is invalid, every other one is `skipped`.
   * @param readLines reads the file from its start
   * @param run null: a dry run, which writes nothing
   * @throws InvalidRequest for a file in which no name was read, TooManyRemovals; both before the first outcome
   */
  async *run(
    account: Caller['account'],
    readLines: () => AsyncIterable<ParsedLine>,
    options: SyncOptions,
    run: BulkRun | null,
  ): AsyncGenerator<SyncOutcome, void, void> {
    const plan = this.startPass(account, options, null);
    let failures = 0;
    for await (const { outcome } of this.applyLines(plan, readLines())) if (outcome === 'failed') failures += 1;
    plan.lines.requireNames();
    if (failures > 0) return yield* this.skipValid(this.startPass(account, options, null), readLines());
    await this.rejectTooManyRemovals(plan);
    const pass = this.startPass(account, options, run);
    for await (const outcome of this.applyLines(pass, readLines())) {
      if (outcome.outcome === 'failed') failures += 1; // something changed since the plan: remove nothing
      yield outcome;
    }
    yield* this.removeUnlisted(failures > 0 ? { ...pass, maxRemovals: null } : pass);
  }

  private startPass(account: Caller['account'], options: SyncOptions, run: BulkRun | null): Pass {
    const lines = new ScopedLines(account, options.scopeTag, this.checks, this.config);
    return { ...options, account, run, lines, accepted: new Set() };
  }

  private async *skipValid(pass: Pass, parsed: AsyncIterable<ParsedLine>): AsyncGenerator<SyncOutcome, void, void> {
    for await (const one of this.applyLines(pass, parsed))
      yield one.outcome === 'failed' ? one : { line: one.line, domain: one.domain, outcome: 'skipped' };
  }

  private async *applyLines(pass: Pass, parsed: AsyncIterable<ParsedLine>): AsyncGenerator<SyncedLine, void, void> {
    for await (const batch of toBatches(parsed)) {
      const validated = batch.map((line) => pass.lines.validate(line));
      const invalid = validated.filter((one) => 'outcome' in one);
      const valid = validated.filter((one) => 'settings' in one);
      const domains = valid.map(({ name }) => name.ascii);
      const current = await this.entries.findByDomains(pass.account.id, domains);
      const isNew = ({ name }: NewEntry) => !current.has(name.ascii);
      const added = await this.add(pass, valid.filter(isNew));
      const compared = valid.flatMap((newEntry) => compare(newEntry, current.get(newEntry.name.ascii), pass));
      const changed = await this.change(pass, compared);
      yield* [...invalid, ...added, ...changed].sort((one, other) => one.line - other.line);
    }
  }

  private async add(pass: Pass, newEntries: readonly NewEntry[]): Promise<SyncedLine[]> {
    const { account, run, accepted } = pass;
    if (newEntries.length === 0) return [];
    const parts = run
      ? this.additions.runAll(account, newEntries, run)
      : [await this.additions.dryRun(account, newEntries, accepted)];
    const outcomes: SyncedLine[] = [];
    for await (const part of parts) outcomes.push(...part.map((one) => toAddition(one, pass)));
    return outcomes;
  }

  private async change(
    { account, scopeTag, run }: Pass,
    compared: readonly ComparedEntry[],
  ): Promise<readonly SyncedLine[]> {
    const changed = compared.filter(({ outcome }) => outcome.outcome === 'changed').map(({ newEntry }) => newEntry);
    const refusals = run && (await this.changes.change(account, changed, scopeTag, run));
    return compared.map(({ outcome, newEntry: { name } }) => {
      const refusal = refusals?.get(name.ascii);
      return refusal ? failedLine(outcome, refusal) : outcome;
    });
  }

  private async rejectTooManyRemovals(pass: Pass): Promise<void> {
    const { maxRemovals } = pass;
    if (maxRemovals === null) return;
    let removals = 0;
    for await (const page of this.findUnlisted(pass)) removals += page.length;
    if (removals > maxRemovals) throw new TooManyRemovals(removals, maxRemovals);
  }

  private async *removeUnlisted(pass: Pass): AsyncGenerator<SyncOutcome, void, void> {
    const { account, run, maxRemovals, scopeTag } = pass;
    let allowed = maxRemovals ?? 0; // more may have been added since the plan
    for await (const page of this.findUnlisted(pass)) {
      const chosen = page.slice(0, allowed);
      allowed -= chosen.length;
      const domains = chosen.map(({ domain }) => domain);
      const parts = run ? this.changes.remove(account.id, domains, scopeTag, run) : [new Set(domains)];
      for await (const removed of parts)
        for (const { id, domain } of chosen)
          if (removed.has(domain)) yield { line: null, domain, outcome: 'removed', id };
      for (const { id, domain } of page.slice(chosen.length)) yield { line: null, domain, outcome: 'unlisted', id };
    }
  }

  /** Yields entries with the tag that the file does not name, in pages. */
  private async *findUnlisted({ account, scopeTag, lines }: Pass) {
    for (let after = ''; ;) {
      const page = await this.entries.findTagged(account.id, scopeTag, after, PAGE_SIZE);
      yield page.filter(({ domain }) => !lines.hasNamed(domain));
      const last = page.at(-1);
      if (!last || page.length < PAGE_SIZE) return;
      after = last.domain;
    }
  }
}

/** A name that was added meanwhile need not have the tag: a repetition decides. */
function toAddition(outcome: LineOutcome, { scopeTag }: Pass): SyncedLine {
  if (outcome.outcome !== 'existing') return outcome;
  const message = `${outcome.domain} was added by another request meanwhile; apply the file again, tag: ${scopeTag}.`;
  return failedLine(outcome, { code: 'already_watched', message });
}

/** Returns nothing for a name that is not watched yet. */
function compare(
  newEntry: NewEntry,
  entry: TaggedEntry | undefined,
  { scopeTag }: SyncOptions,
): readonly ComparedEntry[] {
  if (!entry) return [];
  const { line } = newEntry;
  const { id, domain, settings } = entry;
  if (!settings.tags.includes(scopeTag)) return [{ newEntry, outcome: outOfScope(line, domain, scopeTag) }];
  const fields = findDescribedDifferences(settings, newEntry.settings);
  if (fields.length === 0) return [{ newEntry, outcome: { line, domain, outcome: 'existing', id } }];
  return [{ newEntry, outcome: { line, domain, outcome: 'changed', id, fields } }];
}

function outOfScope(line: number, domain: string, scopeTag: string): FailedLine {
  const message = `${domain} is watched without the tag ${scopeTag}. Give its entry the tag to let this file manage it.`;
  return failedLine({ line, domain }, { code: 'already_watched', message });
}

/** Codes of a line whose domain is no name at all. */
const NO_NAME: ReadonlySet<string> = new Set(['domain_malformed', 'label_too_long']);

/** Validates the lines of one reading of a file: each gets the tag, and none names a domain again. */
class ScopedLines {
  private readonly named = new Map<string, number>();
  private hasReadName = false;

  constructor(
    private readonly account: Caller['account'],
    private readonly scopeTag: string,
    private readonly checks: Pick<CheckDomain, 'parse'>,
    private readonly config: WatchConfig,
  ) {}

  validate(parsed: ParsedLine): NewEntry | FailedLine {
    const newEntry = validateLine(parsed, this.account, this.checks, this.config);
    this.hasReadName ||= !('outcome' in newEntry) || (newEntry.domain !== null && !NO_NAME.has(newEntry.code));
    if ('outcome' in newEntry) return newEntry;
    const { line, name, settings } = newEntry;
    const domain = name.ascii;
    const former = this.named.get(domain);
    if (former !== undefined) return invalid(line, domain, `${domain} is named by line ${former} already.`);
    this.named.set(domain, line);
    const tags = [...new Set([...settings.tags, this.scopeTag])];
    if (tags.length > MAX_TAGS)
      return invalid(line, domain, `A name may have ${MAX_TAGS} tags, with ${this.scopeTag}.`);
    return { line, name, settings: { ...settings, tags } };
  }

  hasNamed(domain: string): boolean {
    return this.named.has(domain);
  }

  /**
   * A file that was not understood is no list without names.
   * @throws InvalidRequest
   */
  requireNames(): void {
    if (this.hasReadName) return;
    throw InvalidRequest.malformed('No name was read in the file, so nothing was changed or removed.');
  }
}

function invalid(line: number, domain: string, message: string): FailedLine {
  return failedLine({ line, domain }, { code: 'invalid_request', message });
}
