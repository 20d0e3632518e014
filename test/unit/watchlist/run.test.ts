import { describe, expect, it } from '@jest/globals';
import type { AuditEntry, AuditTrail } from '../../../src/auth/index.js';
import { joinRuns } from '../../../src/auth/language.js';
import { DomainError } from '../../../src/kernel/domain-error.js';
import { TransactionConflict, UnitOfWork } from '../../../src/kernel/unit-of-work.js';
import { Run, type Written } from '../../../src/watchlist/entries/run.js';

/** Transactions whose records are kept, or taken back. */
class Trail extends UnitOfWork {
  readonly entries: AuditEntry[] = [];
  /** So many transactions meet a lock. */
  conflicts = 0;

  readonly audit = {
    origin: () => null,
    record: (entry: AuditEntry) => Promise.resolve(void this.entries.push(entry)),
  } as unknown as AuditTrail;

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.entries.length;
    const result = await work();
    if (this.conflicts === 0) return result;
    this.conflicts -= 1;
    this.entries.length = before;
    throw new TransactionConflict('a lock was taken for long');
  }

  start(about = {}, signal = new AbortController().signal): Run {
    return new Run({ action: 'watchlist.imported', accountId: 'acc_1', about }, this.audit, this, signal);
  }
}

const add = (run: Run, ...acts: Written['act'][]) =>
  run.run((written) => {
    written.push(...acts.map((act) => ({ act }) as Written));
    return Promise.resolve();
  });

async function follow(run: Run, thenFails: Error): Promise<void> {
  const work = async function* () {
    await add(run, 'created');
    run.reachLine(2);
    yield 2;
    throw thenFails;
  };
  for await (const _ of run.follow(work()));
}

describe('a run that writes many entries', () => {
  it('writes one audit record per transaction, each with the id of the run', async () => {
    const trail = new Trail();
    const run = trail.start({ scope_tag: 'brand' });
    await add(run, 'created', 'created', 'changed');
    await add(run, 'removed');
    const record = { action: 'watchlist.imported', accountId: 'acc_1', targetId: run.id };
    expect(trail.entries).toEqual([
      { ...record, after: { created: 2, changed: 1, scope_tag: 'brand' } },
      { ...record, after: { removed: 1, scope_tag: 'brand' } },
    ]);
    expect(run.id).toMatch(/^run_/);
  });

  it('writes no audit record for a transaction that changed nothing', async () => {
    const trail = new Trail();
    await add(trail.start());
    expect(trail.entries).toEqual([]);
  });

  it('repeats a transaction that failed on a lock, and counts the changes once', async () => {
    const trail = new Trail();
    const run = trail.start();
    trail.conflicts = 3;
    await add(run, 'created');
    expect(trail.entries).toMatchObject([{ after: { created: 1 } }]);
    expect(run.written).toEqual({ created: 1, changed: 0, removed: 0 });
  });

  it('writes nothing after it was aborted, and fails with the reason', async () => {
    const trail = new Trail();
    const gone = new DomainError('overloaded', 'revoked');
    const run = trail.start({}, AbortSignal.abort(gone));
    await expect(add(run, 'created')).rejects.toBe(gone);
    expect(trail.entries).toEqual([]);
  });

  it('says, if it fails, how many entries and lines are done, and keeps the cause', async () => {
    const cause = new Error('the disk is full');
    await expect(follow(new Trail().start(), cause)).rejects.toMatchObject({
      cause,
      details: { written: 1, last_line: 2 },
      message: expect.stringContaining('1 entry was added, and every line up to line 2 is done.'),
    });
  });

  it('passes on a refusal unchanged, and says so if it failed before any write', async () => {
    const fail = async (error: Error) => {
      // oxlint-disable-next-line require-yield -- it fails before
      const work = async function* (): AsyncGenerator<never, void, void> {
        await Promise.reject(error);
      };
      for await (const _ of new Trail().start().follow(work()));
    };
    const refusal = new DomainError('too_many_removals', 'too many');
    await expect(fail(refusal)).rejects.toBe(refusal);
    await expect(fail(new Error('gone'))).rejects.toMatchObject({
      message: 'The import was interrupted: nothing was written. Send the file again.',
    });
  });
});

describe('the list of audit records', () => {
  it('shows the records of each run as one with totals, and other records unchanged', () => {
    const record = (action: string, targetId: string, after: Record<string, number>) => ({ action, targetId, after });
    const joined = joinRuns([
      record('watchlist.imported', 'run_1', { created: 200 }),
      record('watchlist.added', 'wl_1', {}),
      record('watchlist.removed_many', 'run_2', { removed: 3, matched: 9 }),
      record('watchlist.imported', 'run_1', { created: 20, changed: 1 }),
      record('watchlist.added', 'wl_1', {}),
      record('watchlist.removed_many', 'run_2', { removed: 6, matched: 9 }),
    ]);
    expect(joined).toEqual([
      record('watchlist.imported', 'run_1', { created: 220, changed: 1 }),
      record('watchlist.added', 'wl_1', {}),
      record('watchlist.removed_many', 'run_2', { removed: 9, matched: 9 }),
      record('watchlist.added', 'wl_1', {}),
    ]);
  });
});
