import { useState } from 'preact/hooks';
import {
  addNotificationChannel,
  type OpenChannelBody,
  type OpenedChannel,
} from '../../../../clients/typescript/src/index.js';
import { useAction } from '../../api/use-action.js';
import { useSession } from '../../api/session.js';
import { ProblemNote } from '../../components/problem-note.js';
import { AddedChannel } from './added-channel.js';
import { CHANNEL_KINDS, type ChannelKind } from './channel-kinds.js';
import type { EventFilter } from './event-types.js';
import { FilterFields, parseTags } from './filter-fields.js';
import { HeaderFields, type HeaderRow, toHeaders } from './header-fields.js';

interface AddChannelFormProps {
  readonly onAdded: () => void;
  readonly onDone: () => void;
}

/** One form for all kinds; what a kind does not take is not shown. */
export function AddChannelForm({ onAdded, onDone }: AddChannelFormProps) {
  const { client } = useSession();
  const { isBusy, failure, run } = useAction();
  const [key, setKey] = useState('email');
  const [target, setTarget] = useState('');
  const [types, setTypes] = useState<readonly EventFilter[]>([]);
  const [tags, setTags] = useState('');
  const [headers, setHeaders] = useState<readonly HeaderRow[]>([]);
  const [added, setAdded] = useState<OpenedChannel | null>(null);
  const kind = CHANNEL_KINDS.find((one) => one.key === key);
  if (added) return <AddedChannel channel={added} onDone={onDone} />;
  if (kind === undefined) return null;
  const submit = (event: Event) => {
    event.preventDefault();
    const body = toBody(kind, { target, types, tags: parseTags(tags), headers });
    run(addNotificationChannel({ client, body }), (channel) => {
      setAdded(channel);
      onAdded();
    });
  };
  return (
    <form class="form" onSubmit={submit}>
      <label class="field">
        <span class="field-label">Kind</span>
        <select name="kind" value={key} onChange={(event) => setKey(event.currentTarget.value)}>
          {CHANNEL_KINDS.map((one) => (
            <option key={one.key} value={one.key}>
              {one.label}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span class="field-label">{kind.targetLabel}</span>
        <input
          required
          name="target"
          inputMode={kind.type === 'email' ? 'email' : 'url'}
          autocomplete="off"
          maxLength={4_096}
          placeholder={kind.placeholder}
          value={target}
          onInput={(event) => setTarget(event.currentTarget.value)}
        />
        <span class="field-hint">{kind.hint}</span>
        {kind.format !== undefined && (
          <span class="field-hint">
            It has the form <code>{kind.placeholder}</code>
          </span>
        )}
      </label>
      <details class="more">
        <summary>Which events{kind.takesHeaders ? ', and additional headers' : ''}</summary>
        <div class="form">
          <FilterFields types={types} tags={tags} onTypes={setTypes} onTags={setTags} />
          {kind.takesHeaders && <HeaderFields rows={headers} onRows={setHeaders} />}
        </div>
      </details>
      {failure && <ProblemNote failure={failure} />}
      <div class="button-row">
        <button type="submit" class="button primary" disabled={isBusy}>
          Add
        </button>
        <button type="button" class="button" onClick={onDone}>
          Cancel
        </button>
      </div>
    </form>
  );
}

interface Filled {
  readonly target: string;
  readonly types: readonly EventFilter[];
  readonly tags: string[];
  readonly headers: readonly HeaderRow[];
}

function toBody(
  { type, format, takesHeaders }: ChannelKind,
  { target, types, tags, headers }: Filled,
): OpenChannelBody {
  const sent = takesHeaders ? toHeaders(headers) : null;
  return {
    ...{ type, target: target.trim() },
    ...(format === undefined ? {} : { format }),
    ...(types.length === 0 ? {} : { event_types: [...types] }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(sent === null ? {} : { headers: sent }),
  };
}
