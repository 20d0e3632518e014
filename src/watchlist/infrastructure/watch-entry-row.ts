import type { WatchEntry } from '../domain/entry/watch-entry.js';
import { LastReminderColumn } from './column-types.js';

const lastReminderColumn = new LastReminderColumn();

/** A new entry as a row of `watch_entries`. */
export function toEntryRow(entry: WatchEntry) {
  return {
    id: entry.id,
    account_id: entry.accountId,
    domain: entry.domain.ascii,
    interval_minutes: entry.intervalMinutes,
    plan_floor_minutes: entry.planFloorMinutes,
    expiring_window_days: entry.expiringWindowDays,
    status: entry.status,
    phase: entry.phase,
    change_seq: entry.changeSeq,
    proven: entry.proven,
    known_registered_at: entry.knownRegisteredAt,
    known_expires_at: entry.knownExpiresAt,
    boundary_at: entry.boundaryAt,
    told_rung: lastReminderColumn.convertToDatabaseValue(entry.toldRung),
    failing_told: entry.failingTold,
    history_frozen: entry.historyFrozen,
    paused: entry.paused,
    tags: entry.tags,
    note: entry.note,
    intent: entry.intent,
    created_at: entry.createdAt,
    updated_at: entry.updatedAt,
  };
}
