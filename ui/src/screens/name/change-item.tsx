import type { RecordChange } from '../../../../clients/typescript/src/index.js';
import { Text } from '../../components/text.js';
import { When } from '../../components/when.js';
import { EvidenceDetails } from './history-card.js';
import { CHANGE_TITLES, changedLines } from './record-words.js';

export function ChangeItem({ change }: { change: RecordChange }) {
  const { kind, first_seen_at: first, confirmed_at: confirmed, evidence } = change;
  const { removed, added } = changedLines(change);
  const isSameMinute = first.slice(0, 16) === confirmed.slice(0, 16);
  return (
    <li class="history-item">
      <p class="history-head">
        <strong>{CHANGE_TITLES[kind]}</strong>
      </p>
      <ul class="change-lines">
        {removed.map((line) => (
          <ChangeLine key={`before ${line}`} sign="−" word="before" kind={kind} line={line} />
        ))}
        {added.map((line) => (
          <ChangeLine key={`now ${line}`} sign="+" word="since" kind={kind} line={line} />
        ))}
      </ul>
      <p class="muted">
        {isSameMinute ? 'Seen and confirmed' : 'First seen'} <When at={first} show="instant" />
        {!isSameMinute && (
          <>
            , confirmed <When at={confirmed} show="instant" />
          </>
        )}
      </p>
      <EvidenceDetails evidence={evidence} />
    </li>
  );
}

interface ChangeLineProps {
  readonly sign: '+' | '−';
  readonly word: string;
  readonly kind: RecordChange['kind'];
  readonly line: string;
}

function ChangeLine({ sign, word, kind, line }: ChangeLineProps) {
  return (
    <li class="change-line" data-sign={sign === '+' ? 'added' : 'removed'}>
      <span class="change-sign" aria-hidden="true">
        {sign}
      </span>
      <span class="visually-hidden">{word}: </span>
      {kind === 'last_transfer' ? <When at={line} show="instant" /> : <Text value={line} max={72} />}
    </li>
  );
}
