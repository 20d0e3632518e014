import type { ExpandedEntry } from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { Icon } from '../../components/icon.js';
import { ShortText } from '../../components/text.js';
import { ExpiryText, useNow } from '../../components/when.js';
import { toYearLine } from '../../pictures/year-line.js';
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

/** Shows one page of the list. Narrow windows show a card for each name. */
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
            <SortHeader label="Name" orders={['domain', '-domain']} query={query} onChange={onChange} />
            <SortHeader label="Status" orders={['status', '-status']} query={query} onChange={onChange} />
            <SortHeader label="Expires" orders={['soonest_expiry', '-expires_at']} query={query} onChange={onChange} />
            <th scope="col">Tags</th>
            <th scope="col">Registrar</th>
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
  /** The ascending order and the descending order. */
  readonly orders: readonly [Sort, Sort];
  readonly query: ListQuery;
  readonly onChange: (change: Partial<ListQuery>) => void;
}

function SortHeader({ label, orders: [upwards, downwards], query: { sort }, onChange }: SortHeaderProps) {
  const isDescending = sort === downwards;
  const isSorted = isDescending || sort === upwards;
  const direction = isDescending ? 'descending' : 'ascending';
  return (
    <th scope="col" aria-sort={isSorted ? direction : undefined}>
      <button
        type="button"
        class="sort-button"
        onClick={() => onChange({ sort: sort === upwards ? downwards : upwards })}
      >
        {label} {isSorted && <Icon name={isDescending ? 'down' : 'up'} />}
      </button>
    </th>
  );
}

interface EntryRowProps {
  readonly entry: ExpandedEntry;
  /** null if the key may not change anything. */
  readonly selection: Selection | null;
  readonly onTag: (tag: string) => void;
  readonly children: preact.ComponentChildren;
}

function EntryRow({ entry, selection, onTag, children }: EntryRowProps) {
  const { domain, details, record, last_checked_at: lastCheckedAt } = entry;
  const unicode = details?.domain_unicode ?? domain;
  const registrar = record?.registrar?.name ?? null;
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
        <a href={namePath(domain)} title={unicode === domain ? undefined : domain}>
          <bdi>{unicode}</bdi>
        </a>
        {unicode !== domain && <span class="ascii-name muted">{domain}</span>}
        <YearOfPhases domain={domain} phases={entry.phases ?? []} />
      </th>
      <td class="cell-status">{details && <EntrySignals entry={details} lastCheckedAt={lastCheckedAt} />}</td>
      <td class="cell-expires">
        <ExpiryText at={details?.expires_at ?? null} />
      </td>
      <td class="cell-tags">{details && <RowTags tags={details.tags} onTag={onTag} />}</td>
      <td class="cell-registrar">{registrar !== null && <ShortText value={registrar} max={28} />}</td>
      {children && <td class="cell-actions">{children}</td>}
    </tr>
  );
}

interface YearOfPhasesProps {
  readonly domain: string;
  readonly phases: NonNullable<ExpandedEntry['phases']>;
}

/** Shows the last year's phases. Links to the name, whose timeline lists them. */
function YearOfPhases({ domain, phases }: YearOfPhasesProps) {
  const line = toYearLine(phases, useNow());
  if (line === null) return null;
  return (
    <a class="year-line" href={namePath(domain)}>
      <svg viewBox="0 0 1000 1" preserveAspectRatio="none" role="img" aria-label={`${line.text}: go to the timeline`}>
        <title>{line.text}</title>
        {line.parts.map(({ phase, from, to }) => (
          <rect
            key={from}
            class="life-part"
            data-stage={phase}
            x={from * 1000}
            width={Math.max(8, (to - from) * 1000)}
            height="1"
          />
        ))}
      </svg>
    </a>
  );
}

/** More tags would need a second line. */
const SHOWN_TAGS = 2;

function RowTags({ tags, onTag }: { tags: readonly string[]; onTag: (tag: string) => void }) {
  const others = tags.slice(SHOWN_TAGS);
  return (
    <span class="row-tags">
      {tags.slice(0, SHOWN_TAGS).map((tag) => (
        <button key={tag} type="button" class="tag" title={`Only names tagged ${tag}`} onClick={() => onTag(tag)}>
          <ShortText value={tag} max={18} />
        </button>
      ))}
      {others.length > 0 && (
        <span class="muted" title={others.join(', ')}>
          +{others.length}
        </span>
      )}
    </span>
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
