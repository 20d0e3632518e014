import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { Action } from '../api/use-request.js';
import { Icon } from './icon.js';
import { ProblemNote } from './problem-note.js';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Shown as long as it is rendered. Escape closes it; the focus stays inside and returns to where it was. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
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
  return (
    <dialog ref={element} class="dialog" aria-labelledby={id} onCancel={(event) => closeOnCancel(event, onClose)}>
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      {children}
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
  /** What follows from it. */
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
