import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Client, listOperators, listTags, type Tag } from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { useRequest } from '../../api/use-request.js';
import { PURPOSES } from '../../components/purpose-words.js';
import { Menu } from '../../components/menu.js';
import { phaseLabel } from '../../components/phase-words.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShortText } from '../../components/text.js';
import { FLAG_WORDS, FLAGS, type Purpose, type ListQuery, PHASES, STATUSES } from './list-query.js';

interface FilterMenusProps {
  readonly query: ListQuery;
  readonly onChange: (change: Partial<ListQuery>) => void;
}

interface Choice {
  readonly key: string;
  readonly label: ComponentChildren;
  readonly change: Partial<ListQuery>;
}

const DAYS = [7, 30, 60, 90, 365];

/** Shows a button for each kind of filter. Opening a button loads its choices. */
export function FilterMenus({ query, onChange }: FilterMenusProps) {
  const choose = (close: () => void) => (change: Partial<ListQuery>) => {
    close();
    onChange(change);
  };
  return (
    <div class="filter-menus" role="group" aria-label="Add a filter">
      <Menu label="+ Tag">{(close) => <TagChoices query={query} onChoose={choose(close)} />}</Menu>
      <Menu label="+ Status">{(close) => <Choices choices={statusChoices()} onChoose={choose(close)} />}</Menu>
      <Menu label="+ Expires">{(close) => <Choices choices={expiryChoices()} onChoose={choose(close)} />}</Menu>
      <Menu label="+ Purpose">{(close) => <Choices choices={purposeChoices()} onChoose={choose(close)} />}</Menu>
      <Menu label="+ Checks">{(close) => <Choices choices={flagChoices()} onChoose={choose(close)} />}</Menu>
      <Menu label="+ Registry">{(close) => <OperatorChoices onChoose={choose(close)} />}</Menu>
    </div>
  );
}

function statusChoices(): readonly Choice[] {
  const statuses = STATUSES.map((status) => ({ key: status, label: phaseLabel(status), change: { status } }));
  const phases = PHASES.filter((phase) => !(STATUSES as readonly string[]).includes(phase)).map((phase) => ({
    key: phase,
    label: phaseLabel(phase),
    change: { phase },
  }));
  return [...statuses, ...phases];
}

function expiryChoices(): readonly Choice[] {
  return DAYS.map((days) => ({
    key: String(days),
    label: `within ${days} days`,
    change: { expiresWithinDays: days, expiresInMonth: null },
  }));
}

function purposeChoices(): readonly Choice[] {
  return Object.entries(PURPOSES).map(([purpose, label]) => ({
    key: purpose,
    label,
    change: { purpose: purpose as Purpose },
  }));
}

function flagChoices(): readonly Choice[] {
  return FLAGS.flatMap((flag) =>
    [true, false].map((value) => ({
      key: `${flag} ${value}`,
      label: FLAG_WORDS[flag][value ? 0 : 1],
      change: { [flag]: value },
    })),
  );
}

interface ChoicesProps {
  readonly choices: readonly Choice[];
  readonly onChoose: (change: Partial<ListQuery>) => void;
}

function Choices({ choices, onChoose }: ChoicesProps) {
  return (
    <ul class="plain-list">
      {choices.map(({ key, label, change }) => (
        <li key={key}>
          <button type="button" class="menu-choice" onClick={() => onChoose(change)}>
            {label}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The number of tags that are offered before somebody types. */
const SHOWN_TAGS = 12;

function TagChoices({ query, onChoose }: { query: ListQuery; onChoose: ChoicesProps['onChoose'] }) {
  const { client } = useSession();
  const [text, setText] = useState('');
  const { data, failure } = useRequest((signal) => findTags(client, signal, text.trim()), [text.trim()]);
  const choices = (data ?? [])
    .filter(({ tag }) => !query.tags.includes(tag))
    .map(({ tag, entries }) => ({
      key: tag,
      label: <Counted label={tag} count={entries} />,
      change: { tags: [...query.tags, tag] },
    }));
  return (
    <>
      <input
        type="search"
        aria-label="Find a tag"
        placeholder="Find a tag"
        maxLength={50}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      {failure && <ProblemNote failure={failure} />}
      {data && choices.length === 0 && <p class="muted">No tag. Add some with “Change…” or on the page of a name.</p>}
      <Choices choices={choices} onChoose={onChoose} />
    </>
  );
}

async function findTags(client: Client, signal: AbortSignal, search: string): Promise<{ data: readonly Tag[] }> {
  const query = { per_page: SHOWN_TAGS, ...(search !== '' && { search }) };
  const { data } = await listTags({ client, signal, throwOnError: true, query });
  return { data: data.data };
}

function OperatorChoices({ onChoose }: Pick<ChoicesProps, 'onChoose'>) {
  const { client } = useSession();
  const { data, failure } = useRequest((signal) => listOperators({ client, signal }), []);
  const choices = (data?.data ?? []).map(({ operator, entries }) => ({
    key: operator,
    label: <Counted label={operator} count={entries} />,
    change: { operator },
  }));
  return (
    <>
      {failure && <ProblemNote failure={failure} />}
      <Choices choices={choices} onChoose={onChoose} />
    </>
  );
}

function Counted({ label, count }: { label: string; count: number }) {
  return (
    <>
      <ShortText value={label} max={40} /> <span class="muted">{count.toLocaleString('en')}</span>
    </>
  );
}
