import type { ExpandedEntry } from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { Icon } from '../../components/icon.js';
import { ShortText } from '../../components/text.js';
import { When } from '../../components/when.js';
import { namePath } from '../../routes.js';
import { EntrySignals } from './entry-signals.js';
import { SelectAll, type Selection } from './selection.js';
import type { ListQuery, Sort } from './list-query.js';

interface EntryTableProps {
  readonly entries: readonly ExpandedEntry[];
  readonly query: ListQuery;
  readonly onChange: (change: Partial<ListQuery>) => void;
  readonly onPause: (entry: ExpandedEntry, paused: boolean) => void;
  readonly onRemove: (entry: ExpandedEntry) => void;
  readonly selection: Selection;
}

/** One page of the list; narrow windows show a card for each name. */
export function EntryTable({ entries, query, onChange, onPause, onRemove, selection }: EntryTableProps) {
  const { can } = useSession();
  const canWrite = can('watchlist:write');
  return (
    <div class="table-box">
      <table class="table watchlist-table">
        <caption class="visually-hidden">Watched names</caption>
        <thead>
          <tr>
            {canWrite && (
              <th scope="col" class="cell-select">
                <SelectAll selection={selection} />
              </th>
            )}
            <SortHeader label="Name" column="domain" query={query} onChange={onChange} />
            <SortHeader label="Status" column="status" query={query} onChange={onChange} />
            <SortHeader label="Expires" column="expires_at" query={query} onChange={onChange} />
            <th scope="col">Next check</th>
            <SortHeader label="Last check" column="last_checked_at" query={query} onChange={onChange} />
            {canWrite && (
              <th scope="col">
                <span class="visually-hidden">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <EntryRow
              key={entry.id}
              entry={entry}
              selection={canWrite ? selection : null}
              onTag={(tag) => onChange({ tags: addTag(query.tags, tag) })}
            >
              {canWrite && <RowActions entry={entry} onPause={onPause} onRemove={onRemove} />}
            </EntryRow>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function addTag(tags: readonly string[], tag: string): readonly string[] {
  return tags.includes(tag) ? tags : [...tags, tag];
}

interface SortHeaderProps {
  readonly label: string;
  readonly column: string;
  readonly query: ListQuery;
  readonly onChange: (change: Partial<ListQuery>) => void;
}

function SortHeader({ label, column, query: { sort }, onChange }: SortHeaderProps) {
  const isSorted = sort.replace(/^-/, '') === column;
  const isDescending = isSorted && sort.startsWith('-');
  const next = (isSorted && !isDescending ? `-${column}` : column) as Sort;
  const direction = isDescending ? 'descending' : 'ascending';
  return (
    <th scope="col" aria-sort={isSorted ? direction : undefined}>
      <button type="button" class="sort-button" onClick={() => onChange({ sort: next })}>
        {label} {isSorted && <Icon name={isDescending ? 'down' : 'up'} />}
      </button>
    </th>
  );
}

interface EntryRowProps {
  readonly entry: ExpandedEntry;
  /** null when the key may change nothing. */
  readonly selection: Selection | null;
  readonly onTag: (tag: string) => void;
  readonly children: preact.ComponentChildren;
}

function EntryRow({ entry, selection, onTag, children }: EntryRowProps) {
  const { domain, details, last_checked_at: lastCheckedAt } = entry;
  const unicode = details?.domain_unicode ?? domain;
  return (
    <tr
      data-paused={details?.paused === true ? 'yes' : undefined}
      data-selected={selection?.has(entry.id) === true ? 'yes' : undefined}
    >
      {selection && (
        <td class="cell-select">
          <input
            type="checkbox"
            aria-label={`Select ${domain}`}
            checked={selection.has(entry.id)}
            onChange={() => selection.toggle(entry.id)}
          />
        </td>
      )}
      <th scope="row" class="cell-name">
        <div class="name-cell">
          <a href={namePath(domain)}>
            <bdi>{unicode}</bdi>
          </a>
          {unicode !== domain && <span class="ascii-name muted">{domain}</span>}
          {details && details.tags.length > 0 && (
            <span class="tag-list">
              {details.tags.map((tag) => (
                <button
                  key={tag}
                  type="button"
                  class="tag"
                  title={`Only names tagged ${tag}`}
                  onClick={() => onTag(tag)}
                >
                  <ShortText value={tag} max={24} />
                </button>
              ))}
            </span>
          )}
        </div>
      </th>
      <td class="cell-status">{details && <EntrySignals entry={details} lastCheckedAt={lastCheckedAt} />}</td>
      <td data-label="Expires">
        <When at={details?.expires_at ?? null} show="day" />
      </td>
      <td data-label="Next check">
        <When at={details?.next_check_at ?? null} otherwise={details?.paused === true ? 'paused' : 'not scheduled'} />
      </td>
      <td data-label="Last check">
        <When at={lastCheckedAt} otherwise="not yet" isPast />
      </td>
      {children && <td class="cell-actions">{children}</td>}
    </tr>
  );
}

function RowActions({
  entry,
  onPause,
  onRemove,
}: Pick<EntryTableProps, 'onPause' | 'onRemove'> & { entry: ExpandedEntry }) {
  const isPaused = entry.details?.paused === true;
  const pauseLabel = isPaused ? `Resume ${entry.domain}` : `Pause ${entry.domain}`;
  return (
    <span class="row-actions">
      <button
        type="button"
        class="icon-button"
        aria-label={pauseLabel}
        title={isPaused ? 'Resume checks' : 'Pause checks'}
        onClick={() => onPause(entry, !isPaused)}
      >
        <Icon name={isPaused ? 'play' : 'pause'} />
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label={`Remove ${entry.domain}`}
        title="Stop watching"
        onClick={() => onRemove(entry)}
      >
        <Icon name="trash" />
      </button>
    </span>
  );
}
