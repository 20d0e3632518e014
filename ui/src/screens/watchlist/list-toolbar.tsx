import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../components/icon.js';
import { phaseLabel } from '../../components/phase-words.js';
import { ShortText } from '../../components/text.js';
import {
  FLAG_WORDS,
  FLAGS,
  INTENTS,
  isFiltered,
  type ListQuery,
  NO_FILTER,
  type Sort,
  SORTS,
  type Status,
  STATUSES,
} from './list-query.js';
import { MoreFilters } from './more-filters.js';

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
      <MoreFilters query={query} onChange={onChange} />
      {isFiltered(query) && (
        <div class="filter-chips">
          {toChips(query).map(({ text, without }) => (
            <button
              key={text}
              type="button"
              class="chip"
              aria-label={`No longer filter by ${text}`}
              onClick={() => onChange(without)}
            >
              <ShortText value={text} max={30} /> <Icon name="close" />
            </button>
          ))}
          <button type="button" class="link-button" onClick={() => onChange(NO_FILTER)}>
            Clear filters
          </button>
        </div>
      )}
    </search>
  );
}

interface Chip {
  readonly text: string;
  /** The change that removes it. */
  readonly without: Partial<ListQuery>;
}

/** The filters that no field of the toolbar shows. */
function toChips({ tags, phase, intent, expiresWithinDays, operator, importId, ...query }: ListQuery): readonly Chip[] {
  return [
    ...tags.map((tag) => ({ text: `Tag: ${tag}`, without: { tags: tags.filter((one) => one !== tag) } })),
    ...(phase === null ? [] : [{ text: phaseLabel(phase), without: { phase: null } }]),
    ...(intent === null ? [] : [{ text: INTENTS[intent], without: { intent: null } }]),
    ...(expiresWithinDays === null
      ? []
      : [{ text: `Expires within ${expiresWithinDays} days`, without: { expiresWithinDays: null } }]),
    ...(operator === null ? [] : [{ text: `Registry: ${operator}`, without: { operator: null } }]),
    ...(importId === null ? [] : [{ text: 'Added by one import', without: { importId: null } }]),
    ...FLAGS.flatMap((flag) =>
      query[flag] === null ? [] : [{ text: FLAG_WORDS[flag][query[flag] ? 0 : 1], without: { [flag]: null } }],
    ),
  ];
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
      <span class="field-label">Name, tag or note contains</span>
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
