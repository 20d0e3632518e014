import { describe, expect, it } from '@jest/globals';
import { Plan } from '../../../../src/auth/language.js';
import { readConfig } from '../../../../src/config/config.js';
import type { CheckDomain } from '../../../../src/domains/index.js';
import { DomainName } from '../../../../src/domains/language.js';
import { DomainError } from '../../../../src/kernel/domain-error.js';
import { type BulkAddEntries, PlanQuota } from '../../../../src/watchlist/transfer/bulk-add-entries.js';
import type { NewEntry, ParsedLine } from '../../../../src/watchlist/transfer/import-lines.js';
import type { BulkRun } from '../../../../src/watchlist/transfer/bulk-run.js';
import { ImportWatchlist } from '../../../../src/watchlist/transfer/import-watchlist.js';

const limits = { intervals: [60], default_interval: 60, channels: 0, requests_per_minute: 0, bulk: 0, history_days: 0 };
const plan = new Plan('small', { ...limits, entries: 3 });
const account = { id: 'acc_1', plan };

class Written {
  readonly batches: number[] = [];
  async *runAll(_: unknown, wanted: readonly NewEntry[]) {
    this.batches.push(wanted.length);
    yield await Promise.resolve(
      wanted.map(({ line, name }) => ({ line, domain: name.ascii, outcome: 'created' as const, id: 'wl_1' })),
    );
  }
}

const aRun = {} as BulkRun; // what writes is replaced above

function importer(written: Written): ImportWatchlist {
  const checks = { parse: (domain: string) => DomainName.restore(domain) } as unknown as CheckDomain;
  return new ImportWatchlist(written as unknown as BulkAddEntries, checks, readConfig({}));
}

describe('an import', () => {
  it('never holds more than two batches, however long the file is', async () => {
    let read = 0;
    async function* endless(): AsyncGenerator<ParsedLine> {
      for (;;) yield await Promise.resolve({ line: (read += 1), domain: `n${read}.test`, settings: {} });
    }
    const written = new Written();
    let reported = 0;
    for await (const _ of importer(written).run(account, endless(), aRun)) {
      reported += 1;
      expect(read - reported).toBeLessThanOrEqual(201);
      if (reported === 20_000) break;
    }
    expect(new Set(written.batches)).toEqual(new Set([100]));
  });

  it('writes nothing of a batch in which no line can be written', async () => {
    const written = new Written();
    const refusal = new DomainError('invalid_request', 'no');
    async function* bad(): AsyncGenerator<ParsedLine> {
      yield await Promise.resolve({ line: 1, domain: null, refusal });
    }
    const first = await importer(written).run(account, bad(), aRun).next();
    expect(first.value).toEqual({ line: 1, domain: null, outcome: 'failed', code: 'invalid_request', message: 'no' });
    expect(written.batches).toEqual([]);
  });
});

describe('an admission', () => {
  it('lets the first names in until the plan is full, and those that are there always', () => {
    const admission = new PlanQuota(plan, 1, ['there.test']);
    const names = ['a.test', 'there.test', 'a.test', 'b.test', 'c.test', 'b.test', 'there.test'];
    const full = expect.objectContaining({ code: 'plan_limit_reached' });
    expect(names.map((name) => admission.decide(name))).toEqual([
      'created',
      'existing',
      'existing',
      'created',
      full,
      'existing',
      'existing',
    ]);
  });
});
