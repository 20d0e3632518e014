import { Injectable } from '@nestjs/common';
import type {
  RecordKind,
  RegistrationRecord,
  DomainName,
  Evidence,
  Observation,
  RecordValue,
} from '../../domains/language.js';
import { type RecordValues, toRecord } from '../domain/record-values.js';
import type { RecordUpdate } from '../domain/record-rules.js';
import type { RecordEnd } from '../domain/watched-name.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { sql } from '../../platform/database/sql.js';
import { parseEvidence } from '../mappings.js';

export type StoredRecord = Readonly<Partial<Record<RecordKind, string>>>;

export function parseRecord(stored: StoredRecord | null): RegistrationRecord | null {
  return stored && toRecord(parseValues(Object.entries(stored)));
}

function parseValues(stored: readonly (readonly [kind: string, value: string])[]): RecordValues {
  return Object.fromEntries(stored.map(([kind, value]) => [kind, JSON.parse(value) as RecordValue]));
}

interface StoredRecordChange {
  readonly kind: RecordKind;
  readonly before: RecordValue;
  readonly after: RecordValue;
  readonly firstSeenAt: Date;
  /** When a lookup last showed the former value. */
  readonly previousSeenAt: Date;
}

export interface ListedRecordChange extends StoredRecordChange {
  readonly confirmedAt: Date;
  readonly evidence: readonly Evidence[];
}

const PURGE_BATCH_SIZE = 1_000;

/** Shows a change only if its former value was seen after the entry was added. */
const CHANGES = `from watch_entries e join registration_records r on r.domain = e.domain
  where e.id = $2 and e.account_id = $1 and r.previous is not null
    and r.previous_seen_at >= e.created_at`;
const COUNT_CHANGES = {
  name: 'record_changes_count',
  text: `select (select count(*)::int ${CHANGES}) as total from watch_entries where id = $2 and account_id = $1`,
};
const CHANGES_PAGE = {
  name: 'record_changes_page',
  text: `select r.kind, r.previous as before, r.value as after, r.first_seen_at as "firstSeenAt",
           r.previous_seen_at as "previousSeenAt", r.confirmed_at as "confirmedAt", r.evidence ${CHANGES}
         order by r.confirmed_at desc, r.kind limit $3 offset $4`,
};

const PURGE = {
  name: 'records_purge',
  text: `with ended as (
           select domain, kind, first_seen_at from registration_records
           where last_seen_at < $1 order by last_seen_at limit ${PURGE_BATCH_SIZE} for update skip locked),
         purged as (
           delete from registration_records r using ended e
           where r.domain = e.domain and r.kind = e.kind and r.first_seen_at = e.first_seen_at returning 1)
         select count(*)::int as purged from purged`,
};

/** `before` and `after` are JSON texts. */
interface SavedRow {
  readonly kind: RecordKind;
  readonly before: string;
  readonly after: string;
  readonly firstSeenAt: Date;
  readonly previousSeenAt: Date;
}

interface ChangeRow extends SavedRow {
  readonly confirmedAt: Date;
  readonly evidence: string | null;
}

/** Stores the registration records of watched names: for each kind, the current value and former values. */
@Injectable()
export class RegistrationRecordRepository {
  constructor(private readonly statements: SqlClient) {}

  /**
   * Call inside a unit of work.
   * @returns the changes to report; a first value is no change
   */
  async save(
    { ascii }: DomainName,
    updates: readonly RecordUpdate[],
    seen: Observation,
  ): Promise<StoredRecordChange[]> {
    const given = updates.map(({ value, zoneEvidence, ...rest }) => ({
      ...rest,
      value: JSON.stringify(value),
      evidence: JSON.stringify([...seen.evidence, ...zoneEvidence]),
    }));
    // The former value ends at the time when it was last seen.
    const saved = await this.statements.run<SavedRow>(sql`
      with given as (
        select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as g(
          kind text, type text, value text, evidence text, "firstSeenAt" timestamptz, "previousSeenAt" timestamptz)),
      former as (
        select r.kind, r.value, r.first_seen_at, greatest(r.first_seen_at, g."previousSeenAt") as seen_at
        from given g join registration_records r
          on r.domain = ${ascii} and r.kind = g.kind and r.last_seen_at is null and r.value <> g.value),
      ended as (
        update registration_records r set last_seen_at = f.seen_at from former f
        where r.domain = ${ascii} and r.kind = f.kind and r.first_seen_at = f.first_seen_at
        returning r.kind),
      inserted as (insert into registration_records
        (domain, kind, value, first_seen_at, confirmed_at, previous, previous_seen_at, evidence)
      select ${ascii}, g.kind, g.value,
        greatest(g."firstSeenAt", f.seen_at, f.first_seen_at + interval '1 millisecond'), ${seen.observedAt},
        case g.type when 'changed' then f.value end, f.seen_at, case g.type when 'changed' then g.evidence end
      from given g left join former f on f.kind = g.kind
      where (select count(*) from ended) >= 0
        and not exists (
          select from registration_records r
          where r.domain = ${ascii} and r.kind = g.kind and r.last_seen_at is null and r.value = g.value)
      on conflict do nothing
      returning kind, previous, value, first_seen_at, previous_seen_at)
      select i.kind, i.previous as before, i.value as after, i.first_seen_at as "firstSeenAt",
        i.previous_seen_at as "previousSeenAt"
      from inserted i
      where i.previous is not null`);
    return saved.map(toChange);
  }

  /** Returns the current values of a name's record. Call inside a unit of work. */
  async findCurrent({ ascii }: DomainName): Promise<RecordValues> {
    const rows = await this.statements.run<{ kind: string; value: string }>(sql`
      select kind, value from registration_records
      where domain = ${ascii} and last_seen_at is null`);
    return parseValues(rows.map(({ kind, value }) => [kind, value]));
  }

  /** Ends the current values. Clears `drifted` and `failing`, which no longer apply. Call inside a unit of work. */
  async end(ends: readonly RecordEnd[]): Promise<void> {
    await this.statements.run(sql`
      with given as (
        select * from jsonb_to_recordset(${JSON.stringify(ends)}::jsonb) as g(domain text, "lastSeenAt" timestamptz)),
      settled as (
        update watch_entries e set drifted = false, failing = false from given g
        where e.domain = g.domain and (e.drifted or e.failing))
      update registration_records r set last_seen_at = greatest(r.first_seen_at, g."lastSeenAt")
      from given g where r.domain = g.domain and r.last_seen_at is null`);
  }

  /** Returns changes since the entry was added, newest first. Returns null if the account has no such entry. */
  async findChanges(accountId: string, entryId: string, page: number, perPage: number) {
    const shown = [accountId, entryId];
    const [rows, [counted]] = await Promise.all([
      this.statements.run<ChangeRow>(CHANGES_PAGE, [...shown, perPage, (page - 1) * perPage]),
      this.statements.run<{ total: number }>(COUNT_CHANGES, shown),
    ]);
    if (!counted) return null;
    const changes = rows.map((row): ListedRecordChange => {
      const { confirmedAt, evidence } = row;
      return { ...toChange(row), confirmedAt, evidence: parseEvidence(evidence) };
    });
    return { rows: changes, total: counted.total };
  }

  /** Deletes values that ended before the given time, in short transactions. @returns how many values were deleted */
  async purge(endedBefore: Date, signal?: AbortSignal): Promise<number> {
    let total = 0;
    for (let purged = PURGE_BATCH_SIZE; purged === PURGE_BATCH_SIZE && !signal?.aborted; total += purged)
      purged = (await this.statements.run<{ purged: number }>(PURGE, [endedBefore]))[0]?.purged ?? 0;
    return total;
  }
}

function toChange({ kind, before, after, firstSeenAt, previousSeenAt }: SavedRow): StoredRecordChange {
  const [oldValue, newValue] = [JSON.parse(before), JSON.parse(after)] as [RecordValue, RecordValue];
  return { kind, before: oldValue, after: newValue, firstSeenAt, previousSeenAt };
}
