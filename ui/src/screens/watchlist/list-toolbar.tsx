import { useEffect, useState } from 'preact/hooks';
import { phaseLabel } from '../../components/phase-words.js';
import { Icon } from '../../components/icon.js';
import { ShortText } from '../../components/text.js';
import { isFiltered, type ListQuery, type Sort, SORTS, type Status, STATUSES } from './list-query.js';

interface ListToolbarProps {
  readonly query: ListQuery;
  readonly onChange: (change: Partial<ListQuery>) => void;
}

const TYPING_MS = 250;

/** Filters and the order of the list. */
export function ListToolbar({ query, onChange }: ListToolbarProps) {
  return (
    <search class="toolbar">
      <SearchField search={query.search} onSearch={(search) => onChange({ search })} />
      <label class="field">
        <span class="field-label">Status</span>
        <select
          value={query.status ?? ''}
          onChange={({ currentTarget }) => onChange({ status: (currentTarget.value as Status) || null })}
        >
          <option value="">All</option>
          {STATUSES.map((status) => (
            <option key={status} value={status}>
              {phaseLabel(status)}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span class="field-label">Order</span>
        <select value={query.sort} onChange={({ currentTarget }) => onChange({ sort: currentTarget.value as Sort })}>
          {Object.entries(SORTS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {isFiltered(query) && (
        <div class="filter-chips">
          {query.tags.map((tag) => (
            <button
              key={tag}
              type="button"
              class="chip"
              aria-label={`No longer filter by the tag ${tag}`}
              onClick={() => onChange({ tags: query.tags.filter((one) => one !== tag) })}
            >
              Tag: <ShortText value={tag} max={24} /> <Icon name="close" />
            </button>
          ))}
          <button type="button" class="link-button" onClick={() => onChange({ search: '', status: null, tags: [] })}>
            Clear filters
          </button>
        </div>
      )}
    </search>
  );
}

/** Asks once the typing has stopped for a moment. */
function SearchField({ search, onSearch }: { search: string; onSearch: (search: string) => void }) {
  const [text, setText] = useState(search);
  useEffect(() => setText(search), [search]);
  useEffect(() => {
    if (text.trim() === search) return undefined;
    const timer = setTimeout(() => onSearch(text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <label class="field toolbar-search">
      <span class="field-label">Name begins with</span>
      <input
        type="search"
        maxLength={253}
        placeholder="exam…"
        spellcheck={false}
        autocomplete="off"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </label>
  );
}
