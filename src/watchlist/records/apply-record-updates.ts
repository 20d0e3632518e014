import { Injectable } from '@nestjs/common';
import type { Observation } from '../../domains/language.js';
import { WatchEntryRepository } from '../watch-entries.repository.js';
import type { RecordUpdate } from '../domain/record-rules.js';
import type { WatchedName } from '../domain/watched-name.js';
import { CountMassChanges } from './mass-changes.js';
import { RegistrationRecordRepository } from './registration-records.repository.js';

/** Stores what changed in a registration record, and notifies those who watch the name; inside a unit of work. */
@Injectable()
export class ApplyRecordUpdates {
  constructor(
    private readonly records: RegistrationRecordRepository,
    private readonly entries: WatchEntryRepository,
    private readonly masses: CountMassChanges,
  ) {}

  async run(watched: WatchedName, updates: readonly RecordUpdate[], seen: Observation, now: Date): Promise<void> {
    const { name, confirmed } = watched;
    if (updates.length === 0 || !confirmed) return;
    const changes = await this.records.save(name, updates, seen);
    if (changes.length === 0) return;
    const { facts } = confirmed;
    const { source, observedAt: confirmedAt } = seen;
    const entries = await this.entries.findActiveForUpdate(name);
    const visible = entries.flatMap((entry) =>
      changes.filter(({ previousSeenAt }) => previousSeenAt >= entry.createdAt).map((change) => ({ entry, change })),
    );
    const masses = await this.masses.run(name, watched.operator, visible, now);
    visible.forEach(({ entry, change }, i) => {
      const confirmedChange = { facts, source, observedAt: change.firstSeenAt, confirmedAt, mass: masses[i] ?? null };
      entry.notifyRecordChange(change, confirmedChange, now);
    });
  }

  /** The registration has ended, and its record with it; the next one starts without any. */
  async end({ name }: WatchedName, lastSeenAt: Date | null): Promise<void> {
    await this.records.end(name, lastSeenAt);
  }
}
