import { ShortText } from '../../components/text.js';
import type { Grid } from './grid.js';

const WORDS = {
  free: 'available',
  taken: 'taken',
  waiting: '…',
  unknown: 'no answer',
  none: 'no such ending',
} as const;

/** Shows words under many suffixes as coloured cells. Each cell has a word for its state, and links to its line. */
export function CheckGrid({ grid: { rows } }: { grid: Grid }) {
  return (
    <>
      {rows.map(({ word, cells }) => (
        <section key={word} aria-label={`Endings of ${word}`}>
          <h3>
            <ShortText value={word} max={63} />
          </h3>
          <ul class="check-grid">
            {cells.map(({ domain, ending, state }) => (
              <li key={domain} class="check-cell" data-state={state} title={`${domain}: ${WORDS[state]}`}>
                <bdi>{ending}</bdi> <span>{WORDS[state]}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
