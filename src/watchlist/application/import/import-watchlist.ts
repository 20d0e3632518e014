import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../auth/index.js';
import { Config } from '../../../config/config.js';
import { CheckDomain } from '../../../domains/index.js';
import { DomainError } from '../../../kernel/domain-error.js';
import { BulkAddEntries, type AdditionResult, type NewEntry } from './bulk-add-entries.js';
import { type EntrySettingsInput, withDefaults } from '../entries/entry-settings.js';

/** A line of a file as it was read; `refusal`: why it could not be. */
export type ParsedLine = { readonly line: number; readonly domain: string | null } & (
  { readonly asked: EntrySettingsInput; readonly domain: string } | { readonly refusal: DomainError }
);

/** What became of a line. */
export type LineOutcome = { readonly line: number; readonly domain: string | null } & (
  | { readonly outcome: 'created' | 'existing'; readonly id: string | null }
  | { readonly outcome: 'failed'; readonly code: string; readonly message: string }
);

type ValidatedLine = { readonly line: number; readonly wanted: NewEntry } | Extract<LineOutcome, { outcome: 'failed' }>;

/** Lines of one transaction. */
const BATCH = 500;

/** Takes a list of names in, batch by batch; what is wrong with a line concerns that line only. Safe to run twice. */
@Injectable()
export class ImportWatchlist {
  constructor(
    private readonly additions: BulkAddEntries,
    private readonly checks: CheckDomain,
    private readonly config: Config,
  ) {}

  /** The outcome of each line, in order, once its batch is written; a dry run writes nothing. */
  async *run(
    account: Caller['account'],
    lines: AsyncIterable<ParsedLine>,
    { dryRun }: { readonly dryRun: boolean },
  ): AsyncGenerator<LineOutcome, void, void> {
    const rehearsed = dryRun ? new Set<string>() : null;
    for await (const batch of readAhead(inBatches(lines))) {
      const judged = batch.map((line) => this.judge(line, account));
      const wanted = judged.flatMap((one) => ('wanted' in one ? [one.wanted] : []));
      const inOrder = (await this.add(account, wanted, rehearsed)).values();
      for (const one of judged) yield 'wanted' in one ? outcomeOf(one, inOrder.next().value) : one;
    }
  }

  private async add(account: Caller['account'], wanted: readonly NewEntry[], rehearsed: Set<string> | null) {
    if (wanted.length === 0) return [];
    if (rehearsed) return this.additions.rehearse(account, wanted, rehearsed);
    return this.additions.run(account, wanted);
  }

  private judge(read: ParsedLine, { plan }: Caller['account']): ValidatedLine {
    if ('refusal' in read) return failed(read, read.refusal);
    try {
      const name = this.checks.parse(read.domain);
      return { line: read.line, wanted: { name, wishes: withDefaults(read.asked, plan, this.config) } };
    } catch (error) {
      if (error instanceof DomainError) return failed(read, error);
      throw error;
    }
  }
}

function outcomeOf(
  { line, wanted }: { line: number; wanted: NewEntry },
  addition: AdditionResult | undefined,
): LineOutcome {
  if (!addition) throw new Error(`line ${line} was left without an outcome`);
  const domain = wanted.name.ascii;
  if (addition.kind === 'refused') return failed({ line, domain }, addition.refusal);
  return { line, domain, outcome: addition.kind, id: addition.id };
}

function failed({ line, domain }: Pick<ParsedLine, 'line' | 'domain'>, { code, message }: DomainError) {
  return { line, domain, outcome: 'failed', code, message } as const;
}

async function* inBatches(lines: AsyncIterable<ParsedLine>): AsyncGenerator<readonly ParsedLine[], void, void> {
  let batch: ParsedLine[] = [];
  for await (const line of lines) {
    batch.push(line);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The next batch is read and judged while this one is written: the database and this process take as long. */
async function* readAhead<Batch>(batches: AsyncGenerator<Batch, void, void>): AsyncGenerator<Batch, void, void> {
  for (let next = batches.next(); ;) {
    const batch = await next;
    if (batch.done === true) return;
    next = batches.next();
    next.catch(() => undefined); // it is told where it is awaited, if it ever is
    yield batch.value;
  }
}
