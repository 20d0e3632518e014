import { Injectable } from '@nestjs/common';
import { type AuditOrigin, AuditTrail, type Caller } from '../../auth/index.js';
import { Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { WatchEntryRepository } from '../watch-entries.repository.js';
import { CheckSchedule } from '../domain/check-schedule.js';
import { findCurrentDrift } from '../domain/drift.js';
import { toRecord } from '../domain/record-values.js';
import { confirmedSince, evidencedSince, valuesSince } from '../domain/visibility.js';
import type { WatchedName } from '../domain/watched-name.js';
import { WatchedNameRepository } from '../watched-names.repository.js';
import { HistoryRepository } from '../records/history.repository.js';
import { RegistrationRecordRepository } from '../records/registration-records.repository.js';
import type { LockedEntry } from './entry-batch.js';
import { omitUndefined, requireAllowedInterval, type EntrySettingsInput } from '../domain/entry-settings.js';

/** Changes and removes locked entries, and reschedules their names. Call inside a unit of work. */
@Injectable()
export class EntryRevision {
  constructor(
    private readonly entries: WatchEntryRepository,
    private readonly names: WatchedNameRepository,
    private readonly history: HistoryRepository,
    private readonly records: RegistrationRecordRepository,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
    private readonly schedule: CheckSchedule,
    private readonly units: TimeUnits,
  ) {}

  /**
   * @param notifyCurrent notifies the watcher of the current state even if nothing has changed
   * @throws IntervalNotAllowed if the plan does not allow the new interval, before any change
   */
  async revise(
    account: Caller['account'],
    locked: LockedEntry,
    input: EntrySettingsInput,
    notifyCurrent = false,
  ): Promise<void> {
    const { name, entry, othersMinutes, minimumMinutes } = locked;
    const settings = omitUndefined(input);
    requireAllowedInterval(account.plan, entry, settings);
    const now = this.clock.now();
    const isResumed = entry.paused && settings.paused === false;
    const requiredInterval = Math.max(settings.intervalMinutes ?? entry.intervalMinutes, minimumMinutes);
    const known = name.recentFacts(requiredInterval, now, this.units);
    const recent = isResumed ? null : confirmedSince(entry, known);
    // If new settings change the status, history and events date this change to the last check.
    const dates = recent && { observedAt: recent.confirmedAt, previousConfirmedAt: recent.confirmedAt };
    const evidence = recent && (await this.names.findEvidence(name.name));
    const evidenced = recent && evidence && { ...recent, previousConfirmedAt: null, evidence };
    const visible = evidenced && evidencedSince(entry, evidenced);
    const current = { recent: visible && { ...visible, ...dates }, last: name.confirmed };
    entry.revise(settings, current, now, notifyCurrent);
    if (settings.expected !== undefined) await this.compareRecord(locked, notifyCurrent, now);
    if (isResumed) name.addWatcher(requiredInterval, now);
    this.reschedule(name, othersMinutes, entry.paused ? null : requiredInterval);
  }

  /**
   * Compares the registration record with the expected record. With `notifyCurrent`, also notifies of differences that
   * are not new.
   */
  private async compareRecord({ entry, name }: LockedEntry, notifyCurrent: boolean, now: Date): Promise<void> {
    const shown = entry.expected && valuesSince(entry, name, await this.records.findCurrent(name.name));
    entry.compareRecord(shown && toRecord(shown));
    const confirmed = confirmedSince(entry, name.confirmed);
    const turn = notifyCurrent && entry.firstAnswer === null ? findCurrentDrift(entry.expected, shown) : null;
    if (turn && confirmed) entry.notifyDrift(turn, confirmed, now);
  }

  /** Removes the entries, but keeps their history, with the id of the request that removed them. */
  async remove(locked: readonly LockedEntry[], { requestId }: AuditOrigin = this.audit.origin()): Promise<void> {
    const now = this.clock.now();
    const entries = locked.map(({ entry }) => entry);
    if (entries.length === 0) return;
    await this.history.keep(
      entries.map(({ id }) => id),
      { removedAt: now, requestId },
    );
    await this.entries.removeAll(entries);
    for (const { name, entry, othersMinutes } of locked) {
      entry.remove(now);
      this.reschedule(name, othersMinutes, null);
    }
  }

  /** @param requiredInterval the interval that this entry requires; null if it needs no checks any more */
  reschedule(name: WatchedName, othersMinutes: number | null, requiredInterval: number | null): void {
    name.setRequiredInterval([othersMinutes, requiredInterval], this.schedule, this.clock.now());
  }
}
