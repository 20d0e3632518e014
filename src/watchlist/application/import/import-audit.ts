import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../../auth/index.js';
import type { SyncOutcome } from './sync-outcome.js';

/** Leaves one record of an import, whose lines are written in many transactions. */
@Injectable()
export class ImportAudit {
  constructor(private readonly audit: AuditTrail) {}

  /**
   * Passes the outcomes on and counts them. The record is written after the last one, and also when the import fails or
   * its client goes away: then with those that were passed on.
   */
  async *follow(
    accountId: string,
    outcomes: AsyncGenerator<SyncOutcome, void, void>,
    scopeTag: string | null,
  ): AsyncGenerator<SyncOutcome, void, void> {
    const origin = this.audit.origin(); // the response may be sent after the request's own work has ended
    const counts: Record<string, number> = {};
    let isComplete = false;
    try {
      for await (const outcome of outcomes) {
        counts[outcome.outcome] = (counts[outcome.outcome] ?? 0) + 1;
        yield outcome;
      }
      isComplete = true;
    } finally {
      const after = { ...counts, ...(scopeTag !== null && { scope_tag: scopeTag }) };
      const entry = { action: 'watchlist.imported', accountId, targetId: null };
      if (Object.keys(counts).length > 0)
        await this.audit.record({ ...entry, after: { ...after, ...(!isComplete && { interrupted: true }) } }, origin);
    }
  }
}
