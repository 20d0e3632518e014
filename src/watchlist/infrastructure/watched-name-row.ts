import type { EvidenceSource } from '../../domains/language.js';
import type { Urgency } from '../domain/watched-name/urgency.js';
import { WatchedName } from '../domain/watched-name/watched-name.js';
import { FactsColumn, PendingColumn, StatusTransitionColumn } from './column-types.js';

const factsColumn = new FactsColumn();
const pendingColumn = new PendingColumn();
const transitionColumn = new StatusTransitionColumn();

/** A row of `watched_names` as the driver returns it. */
export interface WatchedNameRow {
  readonly domain: string;
  readonly revision: number;
  readonly operator: string;
  readonly urgency: Urgency;
  readonly interval_minutes: number;
  readonly next_check_at: Date | null;
  readonly facts: string | null;
  readonly source: EvidenceSource | null;
  readonly proven_since: Date | null;
  readonly proof_at: Date | null;
  readonly pending: string | null;
  readonly last_turn: string | null;
  readonly last_checked_at: Date | null;
  readonly failures: number;
  readonly failing_since: Date | null;
  readonly failure_code: string | null;
}

export function toWatchedName(row: WatchedNameRow): WatchedName {
  return WatchedName.restore({
    domain: row.domain,
    revision: row.revision,
    operator: row.operator,
    urgency: row.urgency,
    intervalMinutes: row.interval_minutes,
    nextCheckAt: row.next_check_at,
    facts: factsColumn.convertToJSValue(row.facts),
    source: row.source,
    provenSince: row.proven_since,
    proofAt: row.proof_at,
    pending: pendingColumn.convertToJSValue(row.pending),
    lastTurn: transitionColumn.convertToJSValue(row.last_turn),
    lastCheckedAt: row.last_checked_at,
    failures: row.failures,
    failingSince: row.failing_since,
    failureCode: row.failure_code,
  });
}

/** The columns that a routine update may change, never facts or transitions. Omitted columns are null, as most mostly are. */
export function toRoutineRow(name: WatchedName) {
  return {
    domain: name.domain,
    revision: name.revision,
    operator: name.operator,
    urgency: name.urgency,
    next_check_at: name.nextCheckAt,
    source: name.source,
    proof_at: name.proofAt,
    pending: pendingColumn.convertToDatabaseValue(name.pending) ?? undefined,
    last_checked_at: name.lastCheckedAt,
    failures: name.failures,
    failing_since: name.failingSince ?? undefined,
    failure_code: name.failureCode ?? undefined,
  };
}
