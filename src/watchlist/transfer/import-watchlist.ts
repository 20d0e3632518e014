import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/index.js';
import { WatchConfig } from '../../config/sections.js';
import { CheckDomain } from '../../domains/index.js';
import { type AdditionResult, BulkAddEntries } from './bulk-add-entries.js';
import type { ImportRun } from './import-run.js';
import {
  additionOutcome,
  type FailedLine,
  type LineOutcome,
  type ParsedLine,
  toBatches,
  validateLine,
  type ValidLine,
} from './validated-lines.js';

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
