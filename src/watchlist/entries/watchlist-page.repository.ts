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
  /** Whether entries without a value come last. By default, ascending order puts these entries first. */
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

/** An empty name means that the statement is not prepared. */
function statementName(prefix: string, conditions: string | null, suffix = ''): string {
  return conditions === null ? '' : `${prefix}${conditions}${suffix}`;
}

/** The statements that add and delete entries keep this count up to date. */
const ACCOUNT_TOTAL = 'coalesce((select entries from entry_counts where account_id = $1), 0)';

interface SortColumn {
  readonly column: string;
  /** Whether the column is in the table of names, which the statement then joins before sorting. */
  readonly isOnName?: boolean;
  readonly isNullable?: boolean;
}

/** Columns of the entries (`e`) have an index. Sorting by the last check reads all entries of the account. */
const SORT_COLUMNS: Record<SortKey, SortColumn> = {
  created_at: { column: 'e.created_at' },
  domain: { column: 'e.domain' },
  status: { column: 'e.status' },
  last_checked_at: { column: VISIBLE.lastCheckedAt, isOnName: true, isNullable: true },
  expires_at: { column: 'e.expires_at', isNullable: true },
};

/** Selects the ids of the page first, so that rows that OFFSET skips need no join. */
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

/** Puts entries without a date last. The index has them first, so a separate subquery reads them. */
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

/** A separate statement, because a page beyond the last has no row that could hold the total. */
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
    const { statement, values } = pageStatement(request);
    const [rows, total] = await Promise.all([
      this.statements.run<EntryRow>(statement, values),
      this.count(request.filters),
    ]);
    return { rows: request.expanded ? rows.map((row) => this.withBackground(row)) : rows, total };
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
