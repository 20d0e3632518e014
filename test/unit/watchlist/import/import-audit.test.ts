import { describe, expect, it } from '@jest/globals';
import type { AuditEntry, AuditTrail } from '../../../../src/auth/index.js';
import { ImportAudit } from '../../../../src/watchlist/application/import/import-audit.js';
import type { SyncOutcome } from '../../../../src/watchlist/application/import/sync-outcome.js';

class Recorded {
  readonly entries: AuditEntry[] = [];
  origin = () => null;
  record = (entry: AuditEntry) => Promise.resolve(void this.entries.push(entry));
}

async function* outcomesOf(words: readonly ('created' | 'existing')[]): AsyncGenerator<SyncOutcome, void, void> {
  for (const [line, outcome] of words.entries())
    yield await Promise.resolve({ line, domain: 'a.test', outcome, id: 'wl_1' });
}

/** What is recorded of an import whose client reads so many outcomes, with how many it has read by then. */
async function recordsOf(words: readonly ('created' | 'existing')[], read = Infinity, tag: string | null = null) {
  const recorded = new Recorded();
  const audit = new ImportAudit(recorded as unknown as AuditTrail);
  let count = 0;
  for await (const _ of audit.follow('acc_1', outcomesOf(words), tag)) {
    if (count === 0) expect(recorded.entries).toHaveLength(1); // what a process that is killed now leaves
    if ((count += 1) === read) break;
  }
  return recorded.entries.map(({ action, after }) => [action, after]);
}

const [STARTED, ENDED] = ['watchlist.import_started', 'watchlist.imported'];

describe('an import', () => {
  it('leaves a record before its first line, and one with its counts', async () => {
    expect(await recordsOf(['created', 'existing', 'created'])).toEqual([
      [STARTED, {}],
      [ENDED, { created: 2, existing: 1 }],
    ]);
    expect(await recordsOf(['created'], Infinity, 'brand')).toEqual([
      [STARTED, { scope_tag: 'brand' }],
      [ENDED, { created: 1, scope_tag: 'brand' }],
    ]);
  });

  it('leaves one with what was reported when its client goes away', async () => {
    expect((await recordsOf(['created', 'created'], 1)).at(-1)).toEqual([ENDED, { created: 1, interrupted: true }]);
  });

  it('writes nothing when its beginning cannot be recorded', async () => {
    let written = 0;
    async function* outcomes(): AsyncGenerator<SyncOutcome, void, void> {
      written += 1;
      yield* outcomesOf(['created']);
    }
    const broken = { origin: () => null, record: () => Promise.reject(new Error('no disk')) };
    const lines = new ImportAudit(broken as unknown as AuditTrail).follow('acc_1', outcomes(), null);
    await expect(lines.next()).rejects.toThrow('no disk');
    expect(written).toBe(0);
  });
});
