import { useState } from 'preact/hooks';
import { Icon } from '../../components/icon.js';
import { ShortText } from '../../components/text.js';
import { type Doubt, findDoubt } from './pasted-names.js';

interface AskedDoubt {
  /** null if no line is unclear. */
  readonly asked: Doubt | null;
  readonly join: (doubt: Doubt) => void;
  readonly keep: (doubt: Doubt) => void;
}

/** Finds a line that may be one name with a space, and asks the person once. */
export function useDoubt(text: string, setText: (text: string) => void): AskedDoubt {
  const [kept, setKept] = useState<readonly string[]>([]);
  const doubt = findDoubt(
    text
      .split('\n')
      .filter((line) => !kept.includes(line.trim()))
      .join('\n'),
  );
  return {
    asked: doubt,
    join: ({ line, joined }) => setText(text.replace(line, joined)),
    keep: ({ line }) => setKept([...kept, line.trim()]),
  };
}

/** Shows how the line was read, and asks whether the space is a mistake. */
export function DoubtNote({ doubt: { asked, join, keep } }: { doubt: AskedDoubt }) {
  return (
    <div role="status">
      {asked && (
        <div class="doubt">
          <p>
            <Icon name="warning" /> We read <ShortText value={asked.read[0] ?? ''} max={40} /> and{' '}
            <ShortText value={asked.read[1] ?? ''} max={60} />. Is it one name?
          </p>
          <div class="button-row">
            <button type="button" class="button small" onClick={() => join(asked)}>
              Use <ShortText value={asked.joined} max={60} />
            </button>
            <button type="button" class="button small" onClick={() => keep(asked)}>
              No, they are two
            </button>
          </div>
        </div>
      )}
    </div>
  );
}
