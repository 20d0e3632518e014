import { describe, expect, it } from '@jest/globals';
import type { AuditTrail } from '../../../../src/auth/index.js';
import { Plan } from '../../../../src/auth/language.js';
import type { CheckDomain } from '../../../../src/domains/index.js';
import { DomainName } from '../../../../src/domains/language.js';
import { DomainError } from '../../../../src/kernel/domain-error.js';
import type { UnitOfWork } from '../../../../src/kernel/unit-of-work.js';
import type { Row } from '../../../../src/watchlist/domain/row.js';
import type { EntryReader } from '../../../../src/watchlist/entries/entry-reader.repository.js';
import type { WriteRows } from '../../../../src/watchlist/entries/write-rows.js';
import type { ParsedLine } from '../../../../src/watchlist/transfer/import-lines.js';
import { ImportWatchlist } from '../../../../src/watchlist/transfer/import-watchlist.js';

const limits = { intervals: [60], default_interval: 60, channels: 0, requests_per_minute: 0, bulk: 0, history_days: 0 };
const account = { id: 'acc_1', plan: new Plan('small', { ...limits, entries: 3 }) };

class Written {
  readonly batches: number[] = [];
  run(_: unknown, rows: readonly Row[]) {
    this.batches.push(rows.length);
    return Promise.resolve(rows.map(() => ({ outcome: 'created' as const, id: 'wl_1' })));
  }
}

function readInto(written: Written, lines: () => AsyncGenerator<ParsedLine>) {
  const checks = { parse: (domain: string) => DomainName.restore(domain) } as unknown as CheckDomain;
  const audit = { origin: () => null } as unknown as AuditTrail;
  const importer = new ImportWatchlist(
    written as unknown as WriteRows,
    {} as EntryReader,
    checks,
    audit,
    {} as UnitOfWork,
  );
  const run = importer.startRun(account.id, 'keep', new AbortController().signal);
  return importer.run(account, lines, 'keep', run);
}

describe('an import', () => {
  it('reads at most 401 lines ahead of the results, and writes batches of 200', async () => {
    let read = 0;
    async function* endless(): AsyncGenerator<ParsedLine> {
      for (;;) yield await Promise.resolve({ line: (read += 1), domain: `n${read}.test`, settings: {} });
    }
    const written = new Written();
    let reported = 0;
    for await (const _ of readInto(written, endless)) {
      reported += 1;
      expect(read - reported).toBeLessThanOrEqual(401);
      if (reported === 20_000) break;
    }
    expect(new Set(written.batches)).toEqual(new Set([200]));
  });

  it('reports refused lines without a write if a batch has no other lines', async () => {
    const written = new Written();
    const refusal = new DomainError('invalid_request', 'no');
    async function* bad(): AsyncGenerator<ParsedLine> {
      yield await Promise.resolve({ line: 1, domain: null, refusal });
    }
    const first = await readInto(written, bad).next();
    expect(first.value).toEqual({ line: 1, domain: null, outcome: 'failed', code: 'invalid_request', message: 'no' });
    expect(written.batches).toEqual([]);
  });
});
