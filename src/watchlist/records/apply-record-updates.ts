import { Injectable } from '@nestjs/common';
import type { Observation } from '../../domains/language.js';
import { WatchEntryRepository } from '../watch-entries.repository.js';
import type { RecordUpdate } from '../domain/record-rules.js';
import { findCurrentDrift, findDriftTurn, toValues } from '../domain/drift.js';
import { type RecordKnowledge, recordSince, valuesSince } from '../domain/visibility.js';
import type { WatchedName } from '../domain/watched-name.js';
import { RegistrationRecordRepository } from './registration-records.repository.js';

const soonest = (one: Date, other: Date) => (one < other ? one : other);

interface Answer {
  readonly seen: Observation;
  /** The state of the record before the lookup. */
  readonly earlier: RecordKnowledge;
  /** The ids of the entries whose watchers asked to be notified of the current state. */
  readonly asking: ReadonlySet<string>;
  readonly now: Date;
}

/** Stores what changed in a registration record and notifies the watchers. Call inside a unit of work. */
@Injectable()
export class ApplyRecordUpdates {
  constructor(
    private readonly records: RegistrationRecordRepository,
    private readonly entries: WatchEntryRepository,
  ) {}

  async run(
    watched: WatchedName,
    updates: readonly RecordUpdate[],
    { seen, earlier, asking, now }: Answer,
  ): Promise<void> {
    const { name, confirmed } = watched;
    if ((updates.length === 0 && asking.size === 0) || !confirmed) return;
    // A first record notifies only watchers who asked for the current state. If nobody asked, no entries are needed.
    const entries = earlier.recordState || asking.size > 0 ? await this.entries.findActiveForUpdate(name) : [];
    const expecting = entries.filter(({ expected }) => expected !== null);
    const values = expecting.length > 0 ? await this.records.findCurrent(name) : {};
    const changes = await this.records.save(name, updates, seen);
    const { facts } = confirmed;
    const { source, observedAt: confirmedAt } = seen;
    for (const entry of entries)
      for (const change of changes.filter(({ previousSeenAt }) => previousSeenAt >= entry.createdAt))
        entry.notifyRecordChange(change, { facts, source, observedAt: change.firstSeenAt, confirmedAt }, now);
    const observedAt = updates.map((one) => one.firstSeenAt).reduce(soonest, confirmedAt);
    const updated = { ...values, ...toValues(updates) };
    for (const entry of expecting) {
      const turn = asking.has(entry.id)
        ? findCurrentDrift(entry.expected, valuesSince(entry, watched, updated))
        : findDriftTurn(entry.expected, earlier.recordState && valuesSince(entry, earlier, values), updates);
      if (turn) entry.notifyDrift(turn, { facts, source, observedAt, confirmedAt }, now);
    }
  }

  /** Compares each expected record with the record that the entry shows now. Includes paused entries. */
  async compare(watched: WatchedName): Promise<void> {
    const expecting = await this.entries.findExpectingForUpdate(watched.name);
    if (expecting.length === 0) return;
    const values = await this.records.findCurrent(watched.name);
    for (const entry of expecting) entry.compareRecord(recordSince(entry, watched, values));
  }

  /** Ends the record together with its registration. The next registration starts without a record. */
  async end({ domain }: WatchedName, lastSeenAt: Date | null): Promise<void> {
    await this.records.end([{ domain, lastSeenAt }]);
  }
}
