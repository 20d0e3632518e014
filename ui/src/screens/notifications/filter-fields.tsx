import { EVENT_FILTERS, type EventFilter } from './event-types.js';

interface FilterFieldsProps {
  readonly types: readonly EventFilter[];
  readonly tags: string;
  readonly onTypes: (types: readonly EventFilter[]) => void;
  readonly onTags: (tags: string) => void;
}

/** Which events a channel takes; a filter of the API that is not offered here, such as `watchlist.*`, is kept. */
export function FilterFields({ types, tags, onTypes, onTags }: FilterFieldsProps) {
  const others = types.filter((type) => !EVENT_FILTERS.some(({ value }) => value === type));
  const toggle = (type: EventFilter) =>
    onTypes(types.includes(type) ? types.filter((one) => one !== type) : [...types, type]);
  return (
    <>
      <fieldset class="choices">
        <legend class="field-label">Events</legend>
        <p class="field-hint">None chosen: all of them.</p>
        {[...EVENT_FILTERS, ...others.map((value) => ({ value, label: value }))].map(({ value, label }) => (
          <label key={value} class="choice">
            <input type="checkbox" checked={types.includes(value)} onChange={() => toggle(value)} /> {label}
          </label>
        ))}
      </fieldset>
      <label class="field">
        <span class="field-label">Only names with one of these tags</span>
        <input value={tags} onInput={(event) => onTags(event.currentTarget.value)} placeholder="brand, shop" />
        <span class="field-hint">Separated by commas. Empty: all names.</span>
      </label>
    </>
  );
}

/** `brand, shop` as the API takes it. */
export function parseTags(text: string): string[] {
  return text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}
