import { Dialog } from '../components/dialog.js';

const KEYS: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['Ctrl K', '⌘ K'], 'Go to a screen or a name, check or add one'],
  [['/'], 'Find in the list'],
  [['j', 'k'], 'Next name, name before'],
  [['Enter'], 'Open the name'],
  [['x'], 'Select the name, or no longer'],
  [['e'], 'Change the selected names'],
  [['Alt C'], 'Is it free?'],
  [['Esc'], 'Close what is open'],
  [['?'], 'These keys'],
];

export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="key-list">
        {KEYS.map(([keys, what]) => (
          <div key={what}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
