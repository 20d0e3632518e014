import { describe, expect, it } from '@jest/globals';
import type { AuditEntry, AuditTrail } from '../../../../src/auth/index.js';
import { DomainError } from '../../../../src/kernel/domain-error.js';
import { UnitOfWork } from '../../../../src/kernel/unit-of-work.js';
import { BulkAudit } from '../../../../src/watchlist/transfer/bulk-audit.js';
import type { BulkRun } from '../../../../src/watchlist/transfer/bulk-run.js';
import type { SyncOutcome } from '../../../../src/watchlist/transfer/sync-watchlist.js';
import type {
  BulkRunRepository,
  StoredRun,
  WrittenEntries,
} from '../../../../src/watchlist/transfer/bulk-runs.repository.js';

/** The audit trail and the imports at work, in memory. */
class Records implements Partial<BulkRunRepository> {
  readonly entries: AuditEntry[] = [];
  readonly atWork = new Map<string, WrittenEntries>();
  /** So many records fail from now on. */
  failures = 0;

  readonly trail = {
    origin: () => null,
    newId: () => 'aud_1',
    record: (entry: AuditEntry) => {
      if (this.failures > 0) return Promise.reject(new Error(`the connection ended, ${(this.failures -= 1)} left`));
      return Promise.resolve(void this.entries.push(entry));
    },
  } as unknown as AuditTrail;

  get ends() {
    return this.entries.map(({ action, after }) => [action, after]);
  }

  add({ id }: StoredRun, { created, changed, removed }: WrittenEntries): Promise<void> {
    const before = this.atWork.get(id) ?? { created: 0, changed: 0, removed: 0 };
    const sum = { changed: before.changed + changed, removed: before.removed + removed };
    this.atWork.set(id, { created: before.created + created, ...sum });
    return Promise.resolve();
  }
  take(id: string): Promise<WrittenEntries | null> {
    const written = this.atWork.get(id) ?? null;
    if (this.failures === 0) this.atWork.delete(id); // else the transaction is rolled back
    return Promise.resolve(written);
  }
}

class EachAtOnce extends UnitOfWork {
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return work();
  }
}

/** Adds a name by each line; `existing` is there already. */
const lines = (words: readonly ('created' | 'existing')[], thenFails: Error | null = null) =>
  async function* (run: BulkRun): AsyncGenerator<SyncOutcome, void, void> {
    for (const [at, outcome] of words.entries()) {
      await run.run(() => Promise.resolve(outcome === 'created' && run.count('created')));
      yield { line: at + 1, domain: 'a.test', outcome, id: 'wl_1' };
    }
    if (thenFails) throw thenFails;
  };

async function follow(
  records: Records,
  start: ReturnType<typeof lines>,
  tag: string | null = null,
  read = Infinity,
  ends = new AbortController().signal,
) {
  const audit = new BulkAudit(
    records.trail,
    records as Partial<BulkRunRepository> as BulkRunRepository,
    new EachAtOnce(),
  );
  let count = 0;
  for await (const _ of audit.followImport('acc_1', tag, start, ends)) if ((count += 1) === read) break;
}

const [STARTED, ENDED] = ['watchlist.import_started', 'watchlist.imported'];

describe('an import', () => {
  it('leaves a record before its first line, and one with its counts', async () => {
    const records = new Records();
    await follow(records, lines(['created', 'existing', 'created']));
    await follow(records, lines(['created']), 'brand');
    expect(records.ends).toEqual([
      [STARTED, {}],
      [ENDED, { created: 2, existing: 1 }],
      [STARTED, { scope_tag: 'brand' }],
      [ENDED, { created: 1, scope_tag: 'brand' }],
    ]);
    expect(records.atWork.size).toBe(0);
  });

  it('leaves one with what was written when its client goes away', async () => {
    const records = new Records();
    await follow(records, lines(['created', 'created']), null, 1);
    expect(records.ends.at(-1)).toEqual([ENDED, { created: 1, interrupted: true }]);
  });

  it('writes nothing when its beginning cannot be recorded', async () => {
    const records = new Records();
    records.failures = 1;
    await expect(follow(records, lines(['created']))).rejects.toThrow('the connection ended');
    expect(records.atWork.size).toBe(0);
  });

  it('that is refused as a whole says why, and was not interrupted', async () => {
    const records = new Records();
    const refusal = new DomainError('too_many_removals', 'too many');
    await expect(follow(records, lines([], refusal))).rejects.toBe(refusal);
    expect(records.ends.at(-1)).toEqual([ENDED, { refused: 'too_many_removals' }]);
  });

  it('that fails says what was written, and keeps the cause', async () => {
    const cause = new Error('the disk is full');
    await expect(follow(new Records(), lines(['existing', 'created'], cause))).rejects.toMatchObject({
      cause,
      details: { written: 1, last_line: 2 },
      message: expect.stringContaining('1 entry was added, and every line up to line 2 is done.'),
    });
    await expect(follow(new Records(), lines([], cause))).rejects.toMatchObject({
      message: 'The import was interrupted: nothing was written. Send the file again.',
    });
  });

  it('records its end again until that is written', async () => {
    const records = new Records();
    const start = async function* (run: BulkRun) {
      yield* lines(['created'])(run);
      records.failures = 2;
    };
    await follow(records, start);
    expect(records.ends).toEqual([
      [STARTED, {}],
      [ENDED, { created: 1 }],
    ]);
  });
});
