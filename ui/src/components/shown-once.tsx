import { useState } from 'preact/hooks';
import { useHeldDialog } from './dialog.js';
import { Icon } from './icon.js';

interface ShownOnceProps {
  readonly label: string;
  readonly value: string;
  readonly hint: string;
  readonly onDone: () => void;
}

/** Shows a secret that the service never shows again. It stays until the person confirms that it is kept. */
export function ShownOnce({ label, value, hint, onDone }: ShownOnceProps) {
  useHeldDialog();
  return (
    <section class="card shown-once" role="alert">
      <h3>
        <Icon name="key" /> {label}
      </h3>
      <p>Copy it now: it is shown this once. {hint}</p>
      <p class="shown-once-value">
        <code>{value}</code>
      </p>
      <div class="button-row">
        <CopyButton text={value} />
        <button type="button" class="button small" onClick={onDone}>
          Done, I’ve saved it
        </button>
      </div>
    </section>
  );
}

/** Copies a text. Without HTTPS browsers do not allow that, so the button then says so. */
function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [state, setState] = useState<'ready' | 'copied' | 'refused'>('ready');
  const copy = () => {
    const written = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'));
    written.then(
      () => setState('copied'),
      () => setState('refused'),
    );
  };
  const words = { ready: label, copied: 'Copied', refused: 'Select it and copy it by hand' };
  return (
    <button type="button" class="button small" onClick={copy}>
      <Icon name={state === 'copied' ? 'check' : 'copy'} /> <span aria-live="polite">{words[state]}</span>
    </button>
  );
}
