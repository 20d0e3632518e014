import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/index.js';
import { WatchConfig } from '../../config/sections.js';
import { CheckDomain } from '../../domains/index.js';
import { DomainError } from '../../kernel/domain-error.js';
import { type EntrySettingsInput, withDefaults } from '../domain/entry-settings.js';
import { type AdditionResult, type NewEntry, BulkAddEntries } from './bulk-add-entries.js';
import type { ImportRun } from './import-run.js';

/** A parsed line of a file, or why it could not be parsed. */
export type ParsedLine = { readonly line: number; readonly domain: string | null } & (
  { readonly settings: EntrySettingsInput; readonly domain: string } | { readonly refusal: DomainError }
);

export type FailedLine = {
  readonly line: number;
  readonly domain: string | null;
  readonly outcome: 'failed';
  readonly code: string;
  readonly message: string;
};

export type LineOutcome =
  | {
      readonly line: number;
      readonly domain: string | null;
      readonly outcome: 'created' | 'existing';
      readonly id: string | null;
    }
  | FailedLine;

export interface ValidLine {
  readonly line: number;
  readonly newEntry: NewEntry;
}

/**
 * Lines per transaction, at most. More live so long that V8 allocates those of later batches as old: the process grew by
 * 60 MB from an import of 10 000 names to one of 100 000.
 */
const BATCH_SIZE = 100;

/** The line as an entry with all its settings, or why it cannot be one. */
export function validateLine(
  parsed: ParsedLine,
  { plan }: Caller['account'],
  checks: Pick<CheckDomain, 'parse'>,
  config: WatchConfig,
): ValidLine | FailedLine {
  if ('refusal' in parsed) return failedLine(parsed, parsed.refusal);
  try {
    const name = checks.parse(parsed.domain);
    return { line: parsed.line, newEntry: { name, settings: withDefaults(parsed.settings, plan, config) } };
  } catch (error) {
    if (error instanceof DomainError) return failedLine(parsed, error);
    throw error;
  }
}

export function failedLine(
  { line, domain }: Pick<ParsedLine, 'line' | 'domain'>,
  { code, message }: Pick<DomainError, 'code' | 'message'>,
): FailedLine {
  return { line, domain, outcome: 'failed', code, message };
}

export function additionOutcome({ line, newEntry }: ValidLine, addition: AdditionResult | undefined): LineOutcome {
  if (!addition) throw new Error(`line ${line} has no outcome`);
  const domain = newEntry.name.ascii;
  if (addition.kind === 'refused') return failedLine({ line, domain }, addition.refusal);
  return { line, domain, outcome: addition.kind, id: addition.id };
}

/** Batches of lines; the next one is parsed and validated while the current one is written. */
export function toBatches(lines: AsyncIterable<ParsedLine>): AsyncGenerator<readonly ParsedLine[], void, void> {
  return prefetch(inBatches(lines));
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

async function* prefetch<Batch>(batches: AsyncGenerator<Batch, void, void>): AsyncGenerator<Batch, void, void> {
  for (let next = batches.next(); ;) {
    const batch = await next;
    if (batch.done === true) return;
    next = batches.next();
    next.catch(() => undefined); // rethrown where it is awaited
    yield batch.value;
  }
}

/** Imports a list of names in batches. An invalid line affects only itself. Idempotent. */
@Injectable()
export class ImportWatchlist {
  constructor(
    private readonly additions: BulkAddEntries,
    private readonly checks: CheckDomain,
    private readonly config: WatchConfig,
  ) {}

  /**
   * Yields the outcome of each line in order, as soon as it is written.
   * @param run null: a dry run, which writes nothing
   */
  async *run(
    account: Caller['account'],
    lines: AsyncIterable<ParsedLine>,
    run: ImportRun | null,
  ): AsyncGenerator<LineOutcome, void, void> {
    const acceptedSoFar = new Set<string>();
    for await (const batch of toBatches(lines)) {
      const validated = batch.map((line) => validateLine(line, account, this.checks, this.config));
      const newEntries = validated.flatMap((one) => ('newEntry' in one ? [one.newEntry] : []));
      if (newEntries.length === 0) yield* validated.filter((one) => 'outcome' in one);
      else if (run) yield* reportInOrder(validated, this.additions.runAll(account, newEntries, run));
      else yield* reportInOrder(validated, [await this.additions.dryRun(account, newEntries, acceptedSoFar)]);
    }
  }
}

/** The results of each part, with the invalid lines between them. */
async function* reportInOrder(
  validated: readonly (ValidLine | FailedLine)[],
  parts: AsyncIterable<readonly AdditionResult[]> | Iterable<readonly AdditionResult[]>,
): AsyncGenerator<LineOutcome, void, void> {
  const left = [...validated];
  for await (const part of parts)
    for (const result of part) {
      yield* takeInvalid(left);
      const line = left.shift();
      if (line && 'newEntry' in line) yield additionOutcome(line, result);
    }
  yield* takeInvalid(left);
  if (left.length > 0) throw new Error(`${left.length} lines have no outcome`);
}

function* takeInvalid(lines: (ValidLine | FailedLine)[]): Generator<FailedLine, void, void> {
  for (let [line] = lines; line && 'outcome' in line; [line] = lines) {
    lines.shift();
    yield line;
  }
}
