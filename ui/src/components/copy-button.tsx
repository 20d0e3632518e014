import { useState } from 'preact/hooks';
import { Icon } from './icon.js';

/** Copies a text; where the browser does not allow that (a service without HTTPS), it says so. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
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
