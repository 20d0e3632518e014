import { useSession } from '../../api/session.js';
import { Icon } from '../../components/icon.js';

interface NameActionsProps {
  readonly isPaused: boolean;
  readonly isChecking: boolean;
  readonly onCheck: () => void;
  readonly onPause: () => void;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

/** What the key may do with the name. */
export function NameActions({ isPaused, isChecking, onCheck, onPause, onEdit, onRemove }: NameActionsProps) {
  const { can } = useSession();
  return (
    <>
      {can('watchlist:write') && (
        <>
          <button type="button" class="button" onClick={onEdit}>
            Settings
          </button>
          <button type="button" class="button" onClick={onPause}>
            <Icon name={isPaused ? 'play' : 'pause'} /> {isPaused ? 'Resume' : 'Pause'}
          </button>
          <button type="button" class="button danger" onClick={onRemove}>
            <Icon name="trash" /> Remove
          </button>
        </>
      )}
      {can('domains:read') && (
        <button type="button" class="button primary" disabled={isChecking} onClick={onCheck}>
          <Icon name="refresh" /> {isChecking ? 'Checking…' : 'Check now'}
        </button>
      )}
    </>
  );
}
