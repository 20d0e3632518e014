import { useState } from 'preact/hooks';
import { listTags, makeClientPage, type MadeClientPage } from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { useAction, useRequest } from '../../api/use-request.js';
import { ProblemNote } from '../../components/problem-note.js';

const LIFETIMES = [
  { days: 90, label: 'for 90 days' },
  { days: 365, label: 'for a year' },
  { days: 0, label: 'until you revoke it' },
];
const SUGGESTED_DAYS = 365;
const DAY_MS = 86_400_000;

export function MakePageForm({ onMade }: { onMade: (page: MadeClientPage) => void }) {
  const { client } = useSession();
  const known = useRequest((signal) => listTags({ client, signal, query: { per_page: 100 } }), []);
  const { isBusy, failure, run } = useAction();
  const [tag, setTag] = useState('');
  const [title, setTitle] = useState('');
  const [days, setDays] = useState(SUGGESTED_DAYS);
  const submit = (event: Event) => {
    event.preventDefault();
    const heading = title.trim() === '' ? {} : { title: title.trim() };
    const end = days === 0 ? {} : { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() };
    run(makeClientPage({ client, body: { tags: [tag.trim()], ...heading, ...end } }), onMade);
  };
  return (
    <form class="form" onSubmit={submit}>
      <label class="field">
        <span class="field-label">Tag</span>
        <input
          required
          name="tag"
          list="tags-of-account"
          value={tag}
          onInput={(event) => setTag(event.currentTarget.value)}
        />
        <span class="field-hint">The page has the names with this tag. It does not show the tag.</span>
      </label>
      <datalist id="tags-of-account">
        {known.data?.data.map((one) => (
          <option key={one.tag} value={one.tag} />
        ))}
      </datalist>
      <label class="field">
        <span class="field-label">Heading</span>
        <input
          name="title"
          maxLength={100}
          placeholder="Domain names"
          value={title}
          onInput={(event) => setTitle(event.currentTarget.value)}
        />
        <span class="field-hint">Your client sees it above the names.</span>
      </label>
      <label class="field">
        <span class="field-label">It opens</span>
        <select value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
          {LIFETIMES.map((one) => (
            <option key={one.days} value={one.days}>
              {one.label}
            </option>
          ))}
        </select>
      </label>
      {failure && <ProblemNote failure={failure} />}
      <div class="button-row">
        <button type="submit" class="button primary" disabled={isBusy || tag.trim() === ''}>
          Make it
        </button>
      </div>
    </form>
  );
}
