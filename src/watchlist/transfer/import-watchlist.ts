import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/index.js';
import { WatchConfig } from '../../config/sections.js';
import { CheckDomain } from '../../domains/index.js';
import { BulkAddEntries } from './bulk-add-entries.js';
import { type FailedLine, type LineOutcome, type ParsedLine, toBatches, validateLine } from './import-lines.js';
import type { BulkRun } from './bulk-run.js';

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
    run: BulkRun | null,
  ): AsyncGenerator<LineOutcome, void, void> {
    const acceptedSoFar = new Set<string>();
    for await (const batch of toBatches(lines)) {
      const validated = batch.map((line) => validateLine(line, account, this.checks, this.config));
      const invalid = validated.filter((one) => 'outcome' in one);
      const newEntries = validated.filter((one) => 'settings' in one);
      if (newEntries.length === 0) yield* invalid;
      else if (run) yield* inOrder(invalid, this.additions.runAll(account, newEntries, run));
      else yield* inOrder(invalid, [await this.additions.dryRun(account, newEntries, acceptedSoFar)]);
    }
  }
}

/** Yields the outcomes of each part, with the invalid lines between them. */
async function* inOrder(
  invalid: readonly FailedLine[],
  parts: AsyncIterable<readonly LineOutcome[]> | Iterable<readonly LineOutcome[]>,
): AsyncGenerator<LineOutcome, void, void> {
  const left = [...invalid];
  for await (const part of parts)
    for (const outcome of part) {
      const next = left.findIndex(({ line }) => line > outcome.line);
      yield* left.splice(0, next < 0 ? left.length : next);
      yield outcome;
    }
  yield* left;
}
