import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../auth/index.js';
import { WatchConfig } from '../../../config/sections.js';
import { CheckDomain } from '../../../domains/index.js';
import { BulkAddEntries, type NewEntry } from './bulk-add-entries.js';
import { additionOutcome, type LineOutcome, type ParsedLine, toBatches, validateLine } from './validated-lines.js';

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
    for await (const batch of toBatches(lines)) {
      const validated = batch.map((line) => validateLine(line, account, this.checks, this.config));
      const newEntries = validated.flatMap((one) => ('newEntry' in one ? [one.newEntry] : []));
      const results = (await this.add(account, newEntries, acceptedSoFar)).values();
      for (const one of validated) yield 'newEntry' in one ? additionOutcome(one, results.next().value) : one;
    }
  }

  private async add(account: Caller['account'], newEntries: readonly NewEntry[], acceptedSoFar: Set<string> | null) {
    if (newEntries.length === 0) return [];
    if (acceptedSoFar) return this.additions.dryRun(account, newEntries, acceptedSoFar);
    return this.additions.runAll(account, newEntries);
  }
}
