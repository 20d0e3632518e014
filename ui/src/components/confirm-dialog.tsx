import type { ComponentChildren } from 'preact';
import type { Action } from '../api/use-action.js';
import { Dialog } from './dialog.js';
import { ProblemNote } from './problem-note.js';

interface ConfirmDialogProps {
  readonly title: string;
  readonly confirmLabel: string;
  readonly action: Pick<Action, 'isBusy' | 'failure'>;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  /** What follows from it. */
  readonly children: ComponentChildren;
}

/** Before something that cannot be taken back. */
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
