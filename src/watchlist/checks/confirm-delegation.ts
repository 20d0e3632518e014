import { Injectable } from '@nestjs/common';
import { ParentZone } from '../../domains/index.js';
import { confirmInParentZone, getRecordValue, type LookupResult } from '../../domains/language.js';
import { findKindsForParentZone, type ParentZoneReport, type ParentZoneReports } from '../domain/record-rules.js';
import type { WatchedName } from '../domain/watched-name.js';

/** Less than this is not enough for a query; the change stays pending. */
const MIN_TIMEOUT_MS = 500;

/** Asks the parent zone about other name servers or DS, when a second lookup has just shown them. */
@Injectable()
export class ConfirmDelegation {
  constructor(private readonly parentZone: ParentZone) {}

  /** @returns empty where there is nothing to confirm; without DNS checks the registry's two answers are sufficient */
  async run(watched: WatchedName, result: LookupResult, timeoutMs: number): Promise<ParentZoneReports> {
    if (result.kind === 'failure' || !result.record || timeoutMs < MIN_TIMEOUT_MS) return {};
    const { record, observedAt } = result;
    const kinds = findKindsForParentZone(watched.recordState, record, observedAt);
    if (kinds.length === 0) return {};
    const answer = await this.parentZone.read(watched.name, timeoutMs);
    const reports = kinds.map((kind): [string, ParentZoneReport] => {
      const value = getRecordValue(record, kind);
      if (!answer) return [kind, { verdict: 'confirmed', evidence: [] }];
      const verdict = value === null ? 'inconclusive' : confirmInParentZone(kind, value, answer);
      return [kind, { verdict, evidence: answer.evidence }];
    });
    return Object.fromEntries(reports);
  }
}
