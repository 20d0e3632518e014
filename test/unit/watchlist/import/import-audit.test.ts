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

/** The attributes of the records that an import leaves whose client reads so many outcomes. */
async function recordsOf(words: readonly ('created' | 'existing')[], read = Infinity, tag: string | null = null) {
  const recorded = new Recorded();
  const audit = new ImportAudit(recorded as unknown as AuditTrail);
  let count = 0;
  for await (const _ of audit.follow('acc_1', outcomesOf(words), tag)) if ((count += 1) === read) break;
  return recorded.entries.map(({ after }) => after);
}

describe('an import', () => {
  it('leaves one record with its counts', async () => {
    expect(await recordsOf(['created', 'existing', 'created'])).toEqual([{ created: 2, existing: 1 }]);
    expect(await recordsOf(['created'], Infinity, 'brand')).toEqual([{ created: 1, scope_tag: 'brand' }]);
  });

  it('leaves one with what was reported when its client goes away', async () => {
    expect(await recordsOf(['created', 'created'], 1)).toEqual([{ created: 1, interrupted: true }]);
  });

  it('leaves none when it did nothing', async () => {
    expect(await recordsOf([])).toEqual([]);
  });
});
