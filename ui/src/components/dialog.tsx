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

/** Whether the dialog around is held open: Escape, and what else people do without thinking, does not close it. */
const HoldContext = createContext<(isHeld: boolean) => void>(() => undefined);

/** Holds the dialog around open for as long as the component is shown, which has a button of its own to go on. */
export function useHeldDialog(): void {
  const hold = useContext(HoldContext);
  // before the next key is handled, which would close the dialog and lose what it shows once
  useLayoutEffect(() => {
    hold(true);
    return () => hold(false);
  }, []);
}

/** Shown as long as it is rendered. Escape closes it; the focus stays inside and returns to where it was. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [isHeld, setHeld] = useState(false);
  // before the next key is handled, which would go to the page behind
  useLayoutEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  // A browser closes a dialog at the second cancel whatever is done; a key that is refused leads to none. The focus may be
  // outside: what had it was replaced.
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

/** The component that renders it closes it. */
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
  /** The consequences. */
  readonly children: ComponentChildren;
}

/** Asks before something that cannot be taken back. */
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
