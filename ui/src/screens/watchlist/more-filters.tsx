import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Client, listOperators, listTags, type Tag } from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { useRequest } from '../../api/use-request.js';
import { phaseLabel } from '../../components/phase-words.js';
import { ProblemNote } from '../../components/problem-note.js';
import {
  type Flag,
  FLAG_WORDS,
  FLAGS,
  type Intent,
  INTENTS,
  type ListQuery,
  type Phase,
  PHASES,
} from './list-query.js';

interface MoreFiltersProps {
  readonly query: ListQuery;
  readonly onChange: (change: Partial<ListQuery>) => void;
}

/** Filters beside search and status; their choices are asked for when they are opened. */
export function MoreFilters({ query, onChange }: MoreFiltersProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="more-filters" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class="button">More filters</summary>
      {isOpen && <Filters query={query} onChange={onChange} />}
    </details>
  );
}

const DAYS = [7, 30, 60, 90, 365];

function Filters({ query, onChange }: MoreFiltersProps) {
  const { client } = useSession();
  const tags = useRequest(async (signal) => ({ data: await readTags(client, signal) }), []);
  const operators = useRequest((signal) => listOperators({ client, signal }), []);
  const failure = tags.failure ?? operators.failure;
  return (
    <div class="more-filters-fields">
      {failure && <ProblemNote failure={failure} />}
      <Choice
        label="Tag"
        value=""
        none={query.tags.length > 0 ? 'Another tag…' : 'All'}
        onChange={(tag) => tag !== null && !query.tags.includes(tag) && onChange({ tags: [...query.tags, tag] })}
      >
        {tags.data?.map(({ tag, entries }) => (
          <option key={tag} value={tag}>
            {tag} ({entries.toLocaleString('en')})
          </option>
        ))}
      </Choice>
      <Choice label="Phase" value={query.phase} onChange={(phase) => onChange({ phase: phase as Phase | null })}>
        {PHASES.map((phase) => (
          <option key={phase} value={phase}>
            {phaseLabel(phase)}
          </option>
        ))}
      </Choice>
      <Choice label="Purpose" value={query.intent} onChange={(intent) => onChange({ intent: intent as Intent | null })}>
        {Object.entries(INTENTS).map(([intent, label]) => (
          <option key={intent} value={intent}>
            {label}
          </option>
        ))}
      </Choice>
      <Choice
        label="Expires within"
        value={query.expiresWithinDays?.toString() ?? null}
        onChange={(days) => onChange({ expiresWithinDays: days === null ? null : Number(days) })}
      >
        {DAYS.map((days) => (
          <option key={days} value={days}>
            {days} days
          </option>
        ))}
      </Choice>
      {FLAGS.map((flag) => (
        <Choice
          key={flag}
          label={FLAG_LABELS[flag]}
          value={query[flag]?.toString() ?? null}
          onChange={(value) => onChange({ [flag]: value === null ? null : value === 'true' })}
        >
          <option value="true">{FLAG_WORDS[flag][0]}</option>
          <option value="false">{FLAG_WORDS[flag][1]}</option>
        </Choice>
      ))}
      <Choice label="Registry" value={query.operator} onChange={(operator) => onChange({ operator })}>
        {operators.data?.data.map(({ operator, entries }) => (
          <option key={operator} value={operator}>
            {operator} ({entries.toLocaleString('en')})
          </option>
        ))}
      </Choice>
    </div>
  );
}

const FLAG_LABELS: Readonly<Record<Flag, string>> = {
  failing: 'Checks',
  answered: 'Answers',
  drift: 'Record',
  paused: 'Paused',
};

interface ChoiceProps {
  readonly label: string;
  readonly value: string | null;
  /** What stands for no choice. */
  readonly none?: string;
  readonly onChange: (value: string | null) => void;
  readonly children: ComponentChildren;
}

function Choice({ label, value, none = 'All', onChange, children }: ChoiceProps) {
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      <select value={value ?? ''} onChange={({ currentTarget }) => onChange(currentTarget.value || null)}>
        <option value="">{none}</option>
        {children}
      </select>
    </label>
  );
}

/** What a page of the API holds at most. */
const PER_PAGE = 100;
/** A longer menu helps nobody; the search finds the rarer ones. */
const MAX_TAGS = 1_000;

async function readTags(client: Client, signal: AbortSignal): Promise<readonly Tag[]> {
  const tags: Tag[] = [];
  for (let page = 1; tags.length < MAX_TAGS; page += 1) {
    const { data } = await listTags({ client, signal, throwOnError: true, query: { page, per_page: PER_PAGE } });
    tags.push(...data.data);
    if (page * PER_PAGE >= data.meta.total) break;
  }
  return tags;
}
