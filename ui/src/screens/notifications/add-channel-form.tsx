import { useState } from 'preact/hooks';
import {
  addNotificationChannel,
  type OpenChannelBody,
  type OpenedChannel,
} from '../../../../clients/typescript/src/index.js';
import { useExtensions } from '../../api/extensions.js';
import { useSession } from '../../api/session.js';
import { useAction } from '../../api/use-request.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShownOnce } from '../../components/shown-once.js';
import { ShortText, Text } from '../../components/text.js';
import { channelPath } from '../../routes.js';
import { CHANNEL_KINDS, type ChannelKind, extensionKinds, kindLabel } from './channel-kinds.js';
import { CredentialField } from './credential-field.js';
import { FilterFields, parseTags } from './event-filters.js';
import { type EventFilter, offeredFilters } from './event-words.js';
import { LabelField } from './label-field.js';

interface AddChannelFormProps {
  readonly onAdded: () => void;
  readonly onDone: () => void;
}

/** One form for all kinds of channels. Hides the fields that the chosen kind does not need. */
export function AddChannelForm({ onAdded, onDone }: AddChannelFormProps) {
  const { client } = useSession();
  const { extensions, failure: notKnown } = useExtensions();
  const { isBusy, failure, run } = useAction();
  const [key, setKey] = useState('email');
  const [label, setLabel] = useState('');
  const [target, setTarget] = useState('');
  const [credential, setCredential] = useState('');
  const [types, setTypes] = useState<readonly EventFilter[]>([]);
  const [tags, setTags] = useState('');
  const [headers, setHeaders] = useState<readonly HeaderRow[]>([]);
  const [added, setAdded] = useState<OpenedChannel | null>(null);
  const ofExtensions = extensionKinds(extensions);
  const kind = [...CHANNEL_KINDS, ...ofExtensions].find((one) => one.key === key);
  if (added) return <AddedChannel channel={added} onDone={onDone} />;
  if (kind === undefined) return null;
  const submit = (event: Event) => {
    event.preventDefault();
    const body = toBody(kind, { label, target, credential, types, tags: parseTags(tags), headers });
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
          <KindOptions kinds={CHANNEL_KINDS} />
          {ofExtensions.length > 0 && (
            <optgroup label="Of extensions">
              <KindOptions kinds={ofExtensions} />
            </optgroup>
          )}
        </select>
      </label>
      <label class="field">
        <span class="field-label">{kind.targetLabel}</span>
        <input
          required
          name="target"
          inputMode={inputMode(kind)}
          autocomplete="off"
          placeholder={kind.placeholder}
          value={target}
          onInput={(event) => setTarget(event.currentTarget.value)}
        />
        {kind.about !== undefined && (
          <span class="field-hint">
            <ShortText value={kind.about} max={200} />
          </span>
        )}
        {kind.hint !== '' && <span class="field-hint">{kind.hint}</span>}
        {kind.isFormShown && (
          <span class="field-hint">
            It has the form <code>{kind.placeholder}</code>
          </span>
        )}
      </label>
      <LabelField value={label} onValue={setLabel} />
      {kind.takesCredential && <CredentialField value={credential} onValue={setCredential} />}
      <details class="more">
        <summary>Which events{kind.takesHeaders ? ', and additional headers' : ''}</summary>
        <div class="form">
          <FilterFields offered={offeredFilters([])} types={types} tags={tags} onTypes={setTypes} onTags={setTags} />
          {kind.takesHeaders && <HeaderFields rows={headers} onRows={setHeaders} />}
        </div>
      </details>
      {notKnown && <p class="field-hint">The channel types of extensions could not be read: {notKnown.title}.</p>}
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

function KindOptions({ kinds }: { kinds: readonly ChannelKind[] }) {
  return (
    <>
      {kinds.map(({ key, label }) => (
        <option key={key} value={key}>
          {label}
        </option>
      ))}
    </>
  );
}

function inputMode({ type }: ChannelKind): 'email' | 'url' | 'text' {
  if (type === 'email') return 'email';
  return type === 'webhook' ? 'url' : 'text';
}

interface Filled {
  readonly label: string;
  readonly target: string;
  readonly credential: string;
  readonly types: readonly EventFilter[];
  readonly tags: string[];
  readonly headers: readonly HeaderRow[];
}

function toBody(
  { type, format, takesHeaders, takesCredential }: ChannelKind,
  { label, target, credential, types, tags, headers }: Filled,
): OpenChannelBody {
  const sent = takesHeaders ? toHeaders(headers) : null;
  return {
    type: type as OpenChannelBody['type'], // the client lacks types of extensions
    target: target.trim(),
    ...(label.trim() === '' ? {} : { label: label.trim() }),
    ...(takesCredential ? { credential } : {}),
    ...(format === undefined ? {} : { format }),
    ...(types.length === 0 ? {} : { event_types: [...types] }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(sent === null ? {} : { headers: sent }),
  };
}

interface HeaderRow {
  readonly name: string;
  readonly value: string;
}

interface HeaderFieldsProps {
  readonly rows: readonly HeaderRow[];
  readonly onRows: (rows: readonly HeaderRow[]) => void;
}

/** Edits additional headers of a webhook, such as a token for its receiver. */
function HeaderFields({ rows, onRows }: HeaderFieldsProps) {
  const change = (index: number, part: Partial<HeaderRow>) =>
    onRows(rows.map((row, at) => (at === index ? { ...row, ...part } : row)));
  return (
    <fieldset class="choices">
      <legend class="field-label">Additional headers</legend>
      <p class="field-hint">A token of the receiver, for example. Values are sealed and never shown again.</p>
      {rows.map(({ name, value }, index) => (
        <div key={index} class="header-row">
          <input
            aria-label={`Name of header ${index + 1}`}
            placeholder="x-token"
            value={name}
            onInput={(event) => change(index, { name: event.currentTarget.value })}
          />
          <input
            aria-label={`Value of header ${index + 1}`}
            value={value}
            autocomplete="off"
            onInput={(event) => change(index, { value: event.currentTarget.value })}
          />
        </div>
      ))}
      <button type="button" class="button small" onClick={() => onRows([...rows, { name: '', value: '' }])}>
        Add a header
      </button>
    </fieldset>
  );
}

/** Returns null if no row has a name. Leaves out rows without a name. */
function toHeaders(rows: readonly HeaderRow[]): Record<string, string> | null {
  const named = rows.map(({ name, value }) => [name.trim(), value] as const).filter(([name]) => name !== '');
  return named.length === 0 ? null : Object.fromEntries(named);
}

/** Shows the next step after a channel was added. The signing secret is shown only here. */
function AddedChannel({ channel, onDone }: { channel: OpenedChannel; onDone: () => void }) {
  const { id, type, target, active, secret } = channel;
  return (
    <div class="form" role="status">
      <p>
        <strong>{kindLabel(channel)}</strong> to <Text value={target} max={120} /> was added.
      </p>
      {secret !== undefined && (
        <ShownOnce
          label="Signing secret"
          value={secret}
          hint="Your receiver verifies with it that an event is from this service."
          onDone={onDone}
        />
      )}
      {!active && type === 'email' && (
        <p>It starts when the address is confirmed: its mailbox gets a link, if this service has a mail relay.</p>
      )}
      <p>
        <a href={channelPath(id)} onClick={onDone}>
          Open the channel
        </a>{' '}
        to send a test to it.
      </p>
    </div>
  );
}
