import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../components/icon.js';
import { phaseLabel } from '../../components/phase-words.js';
import { ShortText } from '../../components/text.js';
import { PURPOSES } from '../../components/purpose-words.js';
import { monthName } from '../../pictures/month-bars.js';
import { FilterMenus } from './filter-menus.js';
import { FLAG_WORDS, FLAGS, isFiltered, type ListQuery, NO_FILTER, type Sort, SORTS } from './list-query.js';
import { SavedViews } from './saved-views.js';

interface ListToolbarProps {
  readonly query: ListQuery;
  readonly onChange: (change: Partial<ListQuery>) => void;
}

const TYPING_MS = 250;
const LIST_SEARCH_ID = 'list-search';

export function ListToolbar({ query, onChange }: ListToolbarProps) {
  const chips = toChips(query);
  return (
    <search class="toolbar">
      <SearchField search={query.search} onSearch={(search) => onChange({ search })} />
      <FilterMenus query={query} onChange={onChange} />
      <label class="toolbar-order">
        <span class="visually-hidden">Order</span>
        <select value={query.sort} onChange={({ currentTarget }) => onChange({ sort: currentTarget.value as Sort })}>
          {Object.entries(SORTS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <SavedViews query={query} />
      {isFiltered(query) && (
        <div class="filter-chips">
          {chips.map(({ text, without }) => (
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
  /** The change that removes the filter. */
  readonly without: Partial<ListQuery>;
}

/** Makes a chip for each filter except the search text. */
function toChips({ tags, status, phase, purpose, operator, importId, ...query }: ListQuery): readonly Chip[] {
  const { expiresWithinDays: days, expiresInMonth: month } = query;
  return [
    ...tags.map((tag) => ({ text: `Tag: ${tag}`, without: { tags: tags.filter((one) => one !== tag) } })),
    ...(status === null ? [] : [{ text: `Status: ${phaseLabel(status)}`, without: { status: null } }]),
    ...(phase === null ? [] : [{ text: phaseLabel(phase), without: { phase: null } }]),
    ...(purpose === null ? [] : [{ text: PURPOSES[purpose], without: { purpose: null } }]),
    ...(days === null ? [] : [{ text: `Expires within ${days} days`, without: { expiresWithinDays: null } }]),
    ...(month === null ? [] : [{ text: `Expires in ${monthName(month)}`, without: { expiresInMonth: null } }]),
    ...(operator === null ? [] : [{ text: `Registry: ${operator}`, without: { operator: null } }]),
    ...(importId === null ? [] : [{ text: 'Added by one import', without: { importId: null } }]),
    ...FLAGS.flatMap((flag) =>
      query[flag] === null ? [] : [{ text: FLAG_WORDS[flag][query[flag] ? 0 : 1], without: { [flag]: null } }],
    ),
  ];
}

/** Searches once the person has stopped typing for a moment. */
function SearchField({ search, onSearch }: { search: string; onSearch: (search: string) => void }) {
  const [text, setText] = useState(search);
  useEffect(() => setText(search), [search]);
  useEffect(() => {
    if (text.trim() === search) return undefined;
    const timer = setTimeout(() => onSearch(text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <label class="toolbar-search">
      <span class="visually-hidden">Name, tag or note contains</span>
      <input
        type="search"
        id={LIST_SEARCH_ID}
        maxLength={253}
        placeholder="Find a name, tag or note"
        aria-keyshortcuts="/"
        spellcheck={false}
        autocomplete="off"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </label>
  );
}
