import type { RecordKind, RecordValue } from '../../../src/domains/language.js';
import type { RecordUpdate } from '../../../src/watchlist/domain/record-rules.js';
import type { RecordValues } from '../../../src/watchlist/domain/record-values.js';
import type { WatchEntry } from '../../../src/watchlist/domain/watch-entry.js';
import type { RegistrationRecordRepository } from '../../../src/watchlist/records/registration-records.repository.js';

interface Row {
  readonly kind: RecordKind;
  readonly value: RecordValue;
  readonly before: RecordValue | null;
  readonly firstSeenAt: Date;
  readonly previousSeenAt: Date | null;
  isCurrent: boolean;
}

/** The stored records of one name, by the rules of the statements. */
export class InMemoryRecords implements Partial<RegistrationRecordRepository> {
  rows: Row[] = [];

  constructor(private readonly entries: () => Iterable<WatchEntry>) {}

  save: RegistrationRecordRepository['save'] = (_, updates: readonly RecordUpdate[]) => {
    const inserted = updates.flatMap(({ kind, type, value, firstSeenAt, previousSeenAt }) => {
      const current = this.rows.find((row) => row.isCurrent && row.kind === kind);
      if (current && JSON.stringify(current.value) === JSON.stringify(value)) return [];
      if (current) current.isCurrent = false;
      const before = current && type === 'changed' ? current.value : null;
      return [{ kind, value, before, firstSeenAt, previousSeenAt, isCurrent: true }];
    });
    this.rows.push(...inserted);
    return Promise.resolve(
      inserted.flatMap(({ kind, value: after, before, firstSeenAt, previousSeenAt }) =>
        before && previousSeenAt ? [{ kind, before, after, firstSeenAt, previousSeenAt }] : [],
      ),
    );
  };

  findCurrent: RegistrationRecordRepository['findCurrent'] = () => Promise.resolve(this.current);
  end: RegistrationRecordRepository['end'] = () => this.endAll();

  endAll(): Promise<void> {
    for (const row of this.rows) row.isCurrent = false;
    for (const entry of this.entries()) entry.compareRecord(null);
    return Promise.resolve();
  }

  get current(): RecordValues {
    return Object.fromEntries(this.rows.filter(({ isCurrent }) => isCurrent).map(({ kind, value }) => [kind, value]));
  }

  /** The changes that the API lists, oldest first. */
  get changes() {
    return this.rows.flatMap(({ kind, before, value: after }) => (before === null ? [] : [{ kind, before, after }]));
  }
}
