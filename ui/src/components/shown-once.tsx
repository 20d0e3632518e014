import { CopyButton } from './copy-button.js';
import { Icon } from './icon.js';

interface ShownOnceProps {
  /** What it is, such as `Signing secret`. */
  readonly label: string;
  readonly value: string;
  readonly hint: string;
  readonly onDone: () => void;
}

/** A secret that the service never shows again: it leaves the page only when it is said to be kept. */
export function ShownOnce({ label, value, hint, onDone }: ShownOnceProps) {
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
          I have kept it
        </button>
      </div>
    </section>
  );
}
