import { Injectable } from '@nestjs/common';
import type { Observation } from '../../domains/language.js';
import { WatchEntryRepository } from '../watch-entries.repository.js';
import type { RecordUpdate } from '../domain/record-rules.js';
import { type EarlierKnowledge, findDriftTurn } from '../domain/drift.js';
import type { WatchedName } from '../domain/watched-name.js';
import { RegistrationRecordRepository } from './registration-records.repository.js';

/** Stores what changed in a registration record, and notifies those who watch the name; inside a unit of work. */
@Injectable()
export class ApplyRecordUpdates {
  constructor(
    private readonly records: RegistrationRecordRepository,
    private readonly entries: WatchEntryRepository,
  ) {}

  /** @param earlier what was known before this answer */
  async run(
    watched: WatchedName,
    updates: readonly RecordUpdate[],
    seen: Observation,
    earlier: EarlierKnowledge,
    now: Date,
  ): Promise<void> {
    const { name, confirmed } = watched;
    if (updates.length === 0 || !confirmed) return;
    // The first record is shown, not told: nobody has to be found for it.
    const entries = earlier.recordState ? await this.entries.findActiveForUpdate(name) : [];
    const expecting = entries.filter(({ expected }) => expected !== null);
    const values = expecting.length > 0 ? await this.records.findCurrent(name) : {};
    const changes = await this.records.save(name, updates, seen);
    const { facts } = confirmed;
    const { source, observedAt: confirmedAt } = seen;
    for (const entry of entries)
      for (const change of changes.filter(({ previousSeenAt }) => previousSeenAt >= entry.createdAt))
        entry.notifyRecordChange(change, { facts, source, observedAt: change.firstSeenAt, confirmedAt }, now);
    const observedAt = new Date(Math.min(...updates.map(({ firstSeenAt }) => firstSeenAt.getTime())));
    for (const entry of expecting) {
      const turn = findDriftTurn(entry.expected, values, updates, earlier, entry.createdAt);
      if (turn) entry.notifyDrift(turn, { facts, source, observedAt, confirmedAt }, now);
    }
  }

  /** The registration has ended, and its record with it; the next one starts without any. */
  async end({ name }: WatchedName, lastSeenAt: Date | null): Promise<void> {
    await this.records.end(name, lastSeenAt);
  }
}
