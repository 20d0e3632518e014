import { useState } from 'preact/hooks';
import { useSession } from '../../api/session.js';
import { useToasts } from '../../components/toasts.js';
import { countNames } from './for-each-entry.js';
import { runMany } from './many.js';

interface TakeBackProps {
  readonly importId: string;
  /** How many names the import added; null if unknown. */
  readonly count?: number | null;
  readonly onDone: () => void;
}

/** Removes the entries that an import added. Entries that the import changed stay as they are. */
export function TakeBack({ importId, count = null, onDone }: TakeBackProps) {
  const { client } = useSession();
  const { show } = useToasts();
  const [isBusy, setIsBusy] = useState(false);
  const takeBack = async () => {
    setIsBusy(true);
    const outcome = await runMany(client, { target: { import: importId }, change: null }, null, () => undefined);
    setIsBusy(false);
    if (!outcome.ok) return show({ tone: 'bad', text: outcome.failure.detail || outcome.failure.title });
    show({ tone: 'note', text: `The import is taken back: ${countNames(outcome.data.removed ?? 0)} removed.` });
    onDone();
  };
  return (
    <button type="button" class="button" disabled={isBusy} onClick={() => void takeBack()}>
      Take back this import{count !== null && ` (${count.toLocaleString('en')})`}
    </button>
  );
}
