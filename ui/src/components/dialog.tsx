import { type ComponentChildren, createContext } from 'preact';
import { useContext, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Action } from '../api/use-request.js';
import { Icon } from './icon.js';
import { ProblemNote } from './problem-note.js';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Lets a component inside a dialog keep the dialog open, without Escape and without a close button. */
const HoldContext = createContext<(isHeld: boolean) => void>(() => undefined);

/** Keeps the surrounding dialog open while the component is shown. The component needs its own button to close. */
export function useHeldDialog(): void {
  const hold = useContext(HoldContext);
  // A layout effect runs before the next key press, which could close the dialog and lose a secret.
  useLayoutEffect(() => {
    hold(true);
    return () => hold(false);
  }, []);
}

/** Opens when it is rendered, and closes on Escape. Keeps the focus inside, and returns the focus at the end. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [isHeld, setHeld] = useState(false);
  // A layout effect runs before the next key press, which would otherwise go to the page behind.
  useLayoutEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  // Browsers close a dialog at the second cancel event in any case. So this prevents the key press before the event. It
  // listens on the document, since the focused element may have been replaced.
  useLayoutEffect(() => {
    if (!isHeld) return undefined;
    const keepOpen = (event: KeyboardEvent) => event.key === 'Escape' && event.preventDefault();
    document.addEventListener('keydown', keepOpen);
    return () => document.removeEventListener('keydown', keepOpen);
  }, [isHeld]);
  return (
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => closeOnCancel(event, isHeld ? () => undefined : onClose)}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        {!isHeld && (
          <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
      </div>
      <HoldContext.Provider value={setHeld}>{children}</HoldContext.Provider>
    </dialog>
  );
}

/** Does not let the browser close the dialog. The component that renders the dialog removes it. */
function closeOnCancel(event: Event, onClose: () => void): void {
  event.preventDefault();
  onClose();
}

interface ConfirmDialogProps {
  readonly title: string;
  readonly confirmLabel: string;
  readonly action: Pick<Action, 'isBusy' | 'failure'>;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Asks for confirmation before an action that cannot be undone. */
export function ConfirmDialog({ title, confirmLabel, action, onConfirm, onClose, children }: ConfirmDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {action.failure && <ProblemNote failure={action.failure} />}
      <div class="button-row dialog-actions">
        <button type="button" class="button danger" disabled={action.isBusy} onClick={onConfirm}>
          {confirmLabel}
        </button>
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
