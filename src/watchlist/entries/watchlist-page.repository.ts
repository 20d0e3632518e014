import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import type { SqlStatement } from '../../platform/database/sql.js';
import type { EntryFilters } from '../domain/entry-filters.js';
import { toConditions } from './entry-filters.sql.js';
import { VISIBLE } from './visible-columns.sql.js';
import type {
  EntryStatus,
  Evidence,
  LifecyclePhase,
  RegistrationFacts,
  RegistrationRecord,
} from '../../domains/language.js';
import { evidenceSince } from '../domain/visibility.js';
import { parseEvidence, FactsColumn } from '../mappings.js';
import { parseRecord, type StoredRecord } from '../records/registration-records.repository.js';

export const SORT_KEYS = ['created_at', 'domain', 'status', 'last_checked_at', 'expires_at'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

interface PageShape {
  readonly sort: SortKey;
  readonly descending: boolean;
  /** Whether entries without a value come last. Ascending order would otherwise put them first. */
  readonly unknownLast?: boolean;
  readonly expanded: boolean;
}

export interface PageRequest extends PageShape {
  readonly filters: EntryFilters;
  readonly page: number;
  readonly perPage: number;
}

interface ConfirmedBackground {
  readonly phase: LifecyclePhase;
  /** null before the first confirmed facts. */
  readonly facts: RegistrationFacts | null;
  readonly evidence: readonly Evidence[];
  readonly record: RegistrationRecord | null;
}

export interface WatchlistRow {
  readonly id: string;
  readonly domain: string;
  readonly status: EntryStatus;
  readonly interval_minutes: number;
  readonly last_checked_at: Date | null;
  readonly created_at: Date;
  readonly background?: ConfirmedBackground;
  /** Since when checks fail, and the code of the last error. Only expanded rows have these two fields. */
  readonly failing_since?: Date | null;
  readonly failure_code?: string | null;
}

interface Page {
  readonly rows: readonly WatchlistRow[];
  /** The number of all matching entries, not only those of the page. */
  readonly total: number;
}

interface BoundStatement {
  readonly statement: SqlStatement;
  readonly values: readonly unknown[];
}

/**
 * Returns the name of a prepared statement. Returns an empty name if the conditions have none, because the statement is
 * then not prepared.
 */
function statementName(prefix: string, conditions: string | null, suffix = ''): string {
  return conditions === null ? '' : `${prefix}${conditions}${suffix}`;
}

/**
 * SQL that reads the stored number of an account's entries. The statements that add and delete entries keep it up to
 * date.
 */
const ACCOUNT_TOTAL = 'coalesce((select entries from entry_counts where account_id = $1), 0)';

interface SortColumn {
  readonly column: string;
  /** Whether the column is in the table of names. The list then joins this table before it is sorted. */
  readonly isOnName?: boolean;
  readonly isNullable?: boolean;
}

/**
 * The column of each sort key. For each column of `e`, an index has the order of the list, which PostgreSQL reads
 * forwards or backwards.
 */
const SORT_COLUMNS: Record<SortKey, SortColumn> = {
  created_at: { column: 'e.created_at' },
  domain: { column: 'e.domain' },
  status: { column: 'e.status' },
  last_checked_at: { column: 'n.last_checked_at', isOnName: true, isNullable: true },
  expires_at: { column: 'e.expires_at', isNullable: true },
};

/**
 * Makes the statement that reads a page. Selects the ids of the page before the join, so that rows skipped by OFFSET
 * need no join. Makes few different texts, because PostgreSQL keeps each text as a prepared statement.
 */
export function pageStatement(request: PageRequest): BoundStatement {
  const { where, values, name } = toConditions(request.filters);
  const { column, isOnName = false, isNullable = false } = SORT_COLUMNS[request.sort];
  const [direction, nulls] = request.descending ? ['desc', ' nulls last'] : ['asc', ' nulls first'];
  const order = `${column} ${direction}${isNullable ? nulls : ''}, e.id ${direction}`;
  const join = isOnName ? 'join watched_names n on n.domain = e.domain' : '';
  const ids = `select e.id from watch_entries e ${join} where ${where}
    order by ${order} limit $${values.length + 1} offset $${values.length + 2}`;
  const { page, perPage, unknownLast = false } = request;
  const shape = statementName('list', name, `_${shapeName(request)}`);
  const position = [perPage, (page - 1) * perPage];
  if (unknownLast) return soonestFirst(request, { where, values, shape, position });
  return { statement: { name: shape, text: selectListed(request, ids, order) }, values: [...values, ...position] };
}

interface Prepared {
  readonly where: string;
  readonly values: readonly unknown[];
  readonly shape: string;
  readonly position: readonly number[];
}

/**
 * Makes the statement for the list by soonest expiry. Reads entries with a date first and entries without a date
 * second, because the index has them in the opposite order.
 */
function soonestFirst(shape: PageShape, { where, values, shape: name, position }: Prepared): BoundStatement {
  const [limit, offset] = [`$${values.length + 1}::int`, `$${values.length + 2}::int`];
  const part = (condition: string) =>
    `(select e.id, e.expires_at from watch_entries e where ${where} and e.expires_at ${condition}
      order by e.expires_at nulls first, e.id limit ${limit} + ${offset})`;
  const ids = `select id from (${part('is not null')} union all ${part('is null')}) as parts
    order by expires_at nulls last, id limit ${limit} offset ${offset}`;
  return {
    statement: { name: name && `${name}_soonest`, text: selectListed(shape, ids, 'e.expires_at nulls last, e.id') },
    values: [...values, ...position],
  };
}

/**
 * Counts all matching entries. This needs a separate statement, because a page after the last page has no row that
 * could hold the total.
 */
export function countStatement(filters: EntryFilters): BoundStatement {
  const { where, values, name } = toConditions(filters);
  const filteredCount = `select count(*)::int as total from watch_entries e where ${where}`;
  const text = name === '' ? `select ${ACCOUNT_TOTAL} as total` : filteredCount;
  return { statement: { name: statementName('list_count', name), text }, values };
}

function shapeName({ sort, descending, expanded }: PageShape): string {
  return `${sort}_${descending ? 'desc' : 'asc'}${expanded ? '_expanded' : ''}`;
}

function selectListed({ expanded }: PageShape, ids: string, order: string): string {
  return `select e.id, e.domain, e.status, e.interval_minutes, ${VISIBLE.lastCheckedAt} as last_checked_at,
      e.created_at${expanded ? EXPANDED_COLUMNS : ''}
    from (${ids}) as ids
    join watch_entries e on e.id = ids.id join watched_names n on n.domain = e.domain
    ${expanded ? 'left join name_evidence v on v.domain = e.domain' : ''}
    order by ${order}`;
}

const EXPANDED_COLUMNS = `, e.phase, ${VISIBLE.facts} as facts, ${VISIBLE.evidence} as evidence,
      ${VISIBLE.record} as record, ${VISIBLE.failingSince} as failing_since, n.failure_code`;

/**
 * A list by the last check has two parts: answered entries, sorted by time, and entries without an answer, sorted by
 * id. A page may contain rows of both parts. Each part is read through its own index. The time of the last check is
 * stored only in the row of the name, so that a check writes one row for any number of watchers.
 */
interface PartOfPage {
  readonly limit: number;
  readonly offset: number;
}

/**
 * Counts all entries, and the entries of the list's first part (see {@link PartOfPage}). Without filters, the count of
 * the first part stops at the end of the page.
 */
function partCountStatement(request: PageRequest): BoundStatement {
  const { where, values, name } = toConditions(request.filters);
  const direction = request.descending ? 'desc' : 'asc';
  const isInFirstPart = request.descending ? 'e.answered' : 'not e.answered';
  const statement = { name: statementName('list_parts', name, `_${direction}`), text: '' };
  if (name !== '') {
    const text = `select count(*)::int as total, (count(*) filter (where ${isInFirstPart}))::int as first
      from watch_entries e where ${where}`;
    return { statement: { ...statement, text }, values };
  }
  const text = `select ${ACCOUNT_TOTAL} as total, (
      select count(*)::int from (select from watch_entries e where ${where} and ${isInFirstPart} limit $2) as part) as first`;
  return { statement: { ...statement, text }, values: [...values, request.page * request.perPage] };
}

/**
 * Reads a page of a list that has two parts (see {@link PartOfPage}).
 * @param first how many entries of this page and the pages before are in the first part
 */
function lastCheckPageStatement(request: PageRequest, first: number): BoundStatement {
  const { where, values, name } = toConditions(request.filters);
  const [direction, nulls] = request.descending ? ['desc', 'nulls last'] : ['asc', 'nulls first'];
  const [a, b, c, d] = [1, 2, 3, 4].map((n) => `$${values.length + n}`);
  const ids = `(
      select e.id from watched_names n join watch_entries e on e.domain = n.domain
      where ${where} and e.answered and n.last_checked_at is not null
      order by n.last_checked_at ${direction}, e.id ${direction} limit ${a} offset ${b}
    ) union all (
      select e.id from watch_entries e where ${where} and not e.answered order by e.id ${direction} limit ${c} offset ${d})`;
  const [checked, unchecked] = request.descending ? splitPage(request, first) : splitPage(request, first).toReversed();
  return {
    statement: {
      name: statementName('list', name, `_${shapeName(request)}`),
      text: selectListed(request, ids, `n.last_checked_at ${direction} ${nulls}, e.id ${direction}`),
    },
    values: [...values, ...[checked, unchecked].flatMap((part) => [part?.limit, part?.offset])],
  };
}

function splitPage({ page, perPage }: PageRequest, first: number): readonly PartOfPage[] {
  const offset = (page - 1) * perPage;
  const fromFirst = Math.min(perPage, Math.max(0, first - offset));
  return [
    { limit: fromFirst, offset: fromFirst > 0 ? offset : 0 },
    { limit: perPage - fromFirst, offset: Math.max(0, offset - first) },
  ];
}

interface BackgroundRow {
  readonly phase: LifecyclePhase;
  readonly facts: string | null;
  readonly evidence: string | null;
  readonly record: StoredRecord | null;
  readonly created_at: Date;
}

type EntryRow = Omit<WatchlistRow, 'background'> & Partial<BackgroundRow>;

const FACTS = new FactsColumn();

export function toBackground(row: BackgroundRow): ConfirmedBackground {
  return {
    phase: row.phase,
    facts: FACTS.convertToJSValue(row.facts),
    evidence: evidenceSince(row.created_at, parseEvidence(row.evidence)),
    record: parseRecord(row.record),
  };
}

/** Reads an account's watchlist in pages. A page takes two statements, whatever the size of the watchlist. */
@Injectable()
export class WatchlistPageReader {
  constructor(private readonly statements: SqlClient) {}

  async findPage(request: PageRequest): Promise<Page> {
    const { rows, total } = await this.read(request);
    return { rows: request.expanded ? rows.map((row) => this.withBackground(row)) : rows, total };
  }

  private async read(request: PageRequest): Promise<{ rows: EntryRow[]; total: number }> {
    if (request.sort === 'last_checked_at') return this.readByLastCheck(request);
    const { statement, values } = pageStatement(request);
    const [rows, total] = await Promise.all([
      this.statements.run<EntryRow>(statement, values),
      this.count(request.filters),
    ]);
    return { rows, total };
  }

  private async readByLastCheck(request: PageRequest): Promise<{ rows: EntryRow[]; total: number }> {
    const partCount = partCountStatement(request);
    const [counted] = await this.statements.run<{ total: number; first: number }>(
      partCount.statement,
      partCount.values,
    );
    const { total, first } = counted ?? { total: 0, first: 0 };
    const page = lastCheckPageStatement(request, first);
    return { rows: await this.statements.run<EntryRow>(page.statement, page.values), total };
  }

  private async count(filters: EntryFilters): Promise<number> {
    const { statement, values } = countStatement(filters);
    const [counted] = await this.statements.run<{ total: number }>(statement, values);
    return counted?.total ?? 0;
  }

  private withBackground({ phase, facts = null, evidence = null, record = null, ...row }: EntryRow): WatchlistRow {
    if (phase === undefined) return row;
    const { created_at } = row;
    return { ...row, background: toBackground({ phase, facts, evidence, record, created_at }) };
  }
}
