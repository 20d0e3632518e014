import { Injectable } from '@nestjs/common';
import { type AuditOrigin, AuditTrail, type Caller } from '../../auth/index.js';
import { Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { WatchEntryRepository } from '../watch-entries.repository.js';
import { CheckSchedule } from '../domain/check-schedule.js';
import { findCurrentDrift } from '../domain/drift.js';
import type { WatchEntry } from '../domain/watch-entry.js';
import { confirmedSince, evidencedSince } from '../domain/visibility.js';
import type { WatchedName } from '../domain/watched-name.js';
import { WatchedNameRepository } from '../watched-names.repository.js';
import { HistoryRepository } from '../records/history.repository.js';
import { RegistrationRecordRepository } from '../records/registration-records.repository.js';
import type { LockedEntry } from './entry-batch.js';
import { omitUndefined, requireAllowedInterval, type EntrySettingsInput } from '../domain/entry-settings.js';

/** Changes and removes locked entries, and reschedules their names; inside a unit of work. */
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
   * @param notifyCurrent whether what is so already is told
   * @throws IntervalNotAllowed; then nothing is changed
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
    // For an active entry the last check confirmed both the current and the previous state.
    const dates = recent && !isResumed && { observedAt: recent.confirmedAt, previousConfirmedAt: recent.confirmedAt };
    const evidence = recent && (await this.names.findEvidence(name.name));
    const evidenced = recent && evidence && { ...recent, previousConfirmedAt: null, evidence };
    const visible = evidenced && evidencedSince(entry, evidenced);
    const current = { recent: visible && { ...visible, ...dates }, last: name.confirmed };
    entry.revise(settings, current, now, notifyCurrent);
    if (notifyCurrent && settings.expected) await this.notifyDrift(entry, name, now);
    if (isResumed) name.addWatcher(requiredInterval, now);
    this.reschedule(name, othersMinutes, entry.paused ? null : requiredInterval);
  }

  /** Tells what is not as expected already; before the first answer, that tells it. */
  private async notifyDrift(entry: WatchEntry, name: WatchedName, now: Date): Promise<void> {
    const confirmed = confirmedSince(entry, name.confirmed);
    if (!confirmed || entry.firstAnswer !== null) return;
    const turn = findCurrentDrift(entry.expected, await this.records.findCurrent(name.name), name, entry.createdAt);
    if (turn) entry.notifyDrift(turn, confirmed, now);
  }

  /** Their history stays, with the request that removed them. */
  async remove(locked: readonly LockedEntry[], { requestId }: AuditOrigin = this.audit.origin()): Promise<void> {
    const now = this.clock.now();
    const ids = locked.map(({ entry }) => entry.id);
    if (ids.length > 0) await this.history.keep(ids, { removedAt: now, requestId });
    for (const { name, entry, othersMinutes } of locked) {
      entry.remove(now);
      this.entries.remove(entry);
      this.reschedule(name, othersMinutes, null);
    }
  }

  /** @param requiredInterval of this entry; null when it needs no checks any more */
  reschedule(name: WatchedName, othersMinutes: number | null, requiredInterval: number | null): void {
    const shortest = Math.min(othersMinutes ?? Infinity, requiredInterval ?? Infinity);
    if (shortest === Infinity) name.deactivate();
    else name.setRequiredInterval(shortest, this.schedule, this.clock.now());
  }
}
