import { useState } from 'preact/hooks';
import { changeNotificationChannel, type ChannelDetails } from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { useAction } from '../../api/use-request.js';
import { Dialog } from '../../components/dialog.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShortText } from '../../components/text.js';
import { type EventFilter, eventLabel, offeredFilters } from './event-words.js';

export function ChannelFilters({ channel: { event_types: types, tags } }: { channel: ChannelDetails }) {
  return (
    <p class="muted channel-filters">
      {types.length === 0 ? 'All events' : types.map(eventLabel).join(', ')}
      {tags.length > 0 && (
        <>
          {' of names with the tag '}
          {tags.map((tag) => (
            <span key={tag} class="tag">
              <ShortText value={tag} max={30} />
            </span>
          ))}
        </>
      )}
    </p>
  );
}

interface FilterFieldsProps {
  readonly offered: readonly EventFilter[];
  readonly types: readonly EventFilter[];
  readonly tags: string;
  readonly onTypes: (types: readonly EventFilter[]) => void;
  readonly onTags: (tags: string) => void;
}

export function FilterFields({ offered, types, tags, onTypes, onTags }: FilterFieldsProps) {
  const toggle = (type: EventFilter) =>
    onTypes(types.includes(type) ? types.filter((one) => one !== type) : [...types, type]);
  return (
    <>
      <fieldset class="choices">
        <legend class="field-label">Events</legend>
        <p class="field-hint">None chosen: all of them.</p>
        {offered.map((filter) => (
          <label key={filter} class="choice">
            <input type="checkbox" checked={types.includes(filter)} onChange={() => toggle(filter)} />{' '}
            {eventLabel(filter)}
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

/** Parses tags such as `brand, shop`. */
export function parseTags(text: string): string[] {
  return text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

interface FiltersDialogProps {
  readonly channel: ChannelDetails;
  readonly onChanged: (channel: ChannelDetails) => void;
  readonly onClose: () => void;
}

export function FiltersDialog({ channel, onChanged, onClose }: FiltersDialogProps) {
  const { client } = useSession();
  const { isBusy, failure, run } = useAction();
  const [offered] = useState(() => offeredFilters(channel.event_types));
  const [types, setTypes] = useState<readonly EventFilter[]>(channel.event_types);
  const [tags, setTags] = useState(channel.tags.join(', '));
  const submit = (event: Event) => {
    event.preventDefault();
    const body = { event_types: [...types], tags: parseTags(tags) };
    run(changeNotificationChannel({ client, path: { id: channel.id }, body }), (changed) => {
      onChanged(changed);
      onClose();
    });
  };
  return (
    <Dialog title="Which events" onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <FilterFields offered={offered} types={types} tags={tags} onTypes={setTypes} onTags={setTags} />
        {failure && <ProblemNote failure={failure} />}
        <div class="button-row">
          <button type="submit" class="button primary" disabled={isBusy}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}
