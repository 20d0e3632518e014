import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../auth/index.js';
import { WatchConfig } from '../../../config/sections.js';
import { CheckDomain } from '../../../domains/index.js';
import { DomainError } from '../../../kernel/domain-error.js';
import { BulkAddEntries, type AdditionResult, type NewEntry } from './bulk-add-entries.js';
import { type EntrySettingsInput, withDefaults } from '../entries/entry-settings.js';

/** A parsed line of a file, or why it could not be parsed. */
export type ParsedLine = { readonly line: number; readonly domain: string | null } & (
  { readonly settings: EntrySettingsInput; readonly domain: string } | { readonly refusal: DomainError }
);

/** The outcome of a line. */
export type LineOutcome = { readonly line: number; readonly domain: string | null } & (
  | { readonly outcome: 'created' | 'existing'; readonly id: string | null }
  | { readonly outcome: 'failed'; readonly code: string; readonly message: string }
);

type ValidatedLine =
  { readonly line: number; readonly newEntry: NewEntry } | Extract<LineOutcome, { outcome: 'failed' }>;

/** Lines per transaction, at most. */
const BATCH_SIZE = 500;

/** Imports a list of names in batches. An invalid line affects only itself. Idempotent. */
@Injectable()
export class ImportWatchlist {
  constructor(
    private readonly additions: BulkAddEntries,
    private readonly checks: CheckDomain,
    private readonly config: WatchConfig,
  ) {}

  /** Yields the outcome of each line in order, after its batch is written; a dry run writes nothing. */
  async *run(
    account: Caller['account'],
    lines: AsyncIterable<ParsedLine>,
    { dryRun }: { readonly dryRun: boolean },
  ): AsyncGenerator<LineOutcome, void, void> {
    const acceptedSoFar = dryRun ? new Set<string>() : null;
    for await (const batch of prefetch(inBatches(lines))) {
      const validated = batch.map((line) => this.validate(line, account));
      const newEntries = validated.flatMap((one) => ('newEntry' in one ? [one.newEntry] : []));
      const results = (await this.add(account, newEntries, acceptedSoFar)).values();
      for (const one of validated) yield 'newEntry' in one ? toOutcome(one, results.next().value) : one;
    }
  }

  private async add(account: Caller['account'], newEntries: readonly NewEntry[], acceptedSoFar: Set<string> | null) {
    if (newEntries.length === 0) return [];
    if (acceptedSoFar) return this.additions.dryRun(account, newEntries, acceptedSoFar);
    const results: AdditionResult[] = [];
    for (const part of await this.additions.split(newEntries))
      results.push(...(await this.additions.run(account, part)));
    return results;
  }

  private validate(parsed: ParsedLine, { plan }: Caller['account']): ValidatedLine {
    if ('refusal' in parsed) return failed(parsed, parsed.refusal);
    try {
      const name = this.checks.parse(parsed.domain);
      return { line: parsed.line, newEntry: { name, settings: withDefaults(parsed.settings, plan, this.config) } };
    } catch (error) {
      if (error instanceof DomainError) return failed(parsed, error);
      throw error;
    }
  }
}

function toOutcome(
  { line, newEntry }: { line: number; newEntry: NewEntry },
  addition: AdditionResult | undefined,
): LineOutcome {
  if (!addition) throw new Error(`line ${line} has no outcome`);
  const domain = newEntry.name.ascii;
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
    if (batch.length < BATCH_SIZE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Parses and validates the next batch while the current one is written. */
async function* prefetch<Batch>(batches: AsyncGenerator<Batch, void, void>): AsyncGenerator<Batch, void, void> {
  for (let next = batches.next(); ;) {
    const batch = await next;
    if (batch.done === true) return;
    next = batches.next();
    next.catch(() => undefined); // rethrown where it is awaited
    yield batch.value;
  }
}
