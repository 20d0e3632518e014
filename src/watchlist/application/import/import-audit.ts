import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../../auth/index.js';
import type { SyncOutcome } from './sync-outcome.js';

/** Leaves two records of an import, whose lines are written in many transactions: before the first and after the last. */
@Injectable()
export class ImportAudit {
  constructor(private readonly audit: AuditTrail) {}

  /**
   * Passes the outcomes on and counts them. An import whose beginning cannot be recorded writes nothing. The second
   * record is written after the last outcome, and also when the import fails or its client goes away: then with those
   * that were passed on. A process that is killed leaves the first alone.
   */
  async *follow(
    accountId: string,
    outcomes: AsyncGenerator<SyncOutcome, void, void>,
    scopeTag: string | null,
  ): AsyncGenerator<SyncOutcome, void, void> {
    const origin = this.audit.origin(); // the response may be sent after the request's own work has ended
    const scope = scopeTag === null ? {} : { scope_tag: scopeTag };
    const target = { accountId, targetId: null };
    await this.audit.record({ ...target, action: 'watchlist.import_started', after: scope }, origin);
    const counts: Record<string, number> = {};
    let isComplete = false;
    try {
      for await (const outcome of outcomes) {
        counts[outcome.outcome] = (counts[outcome.outcome] ?? 0) + 1;
        yield outcome;
      }
      isComplete = true;
    } finally {
      const after = { ...counts, ...scope, ...(!isComplete && { interrupted: true }) };
      await this.audit.record({ ...target, action: 'watchlist.imported', after }, origin);
    }
  }
}
