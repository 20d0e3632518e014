import { type ListedKey, revokeKey } from '../../../../clients/typescript/src/index.js';
import { useAction } from '../../api/use-action.js';
import { useSession } from '../../api/session.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { ShortText } from '../../components/text.js';
import { useToasts } from '../../components/toasts.js';

interface RevokeKeyDialogProps {
  readonly listed: ListedKey;
  readonly isOwn: boolean;
  readonly onRevoked: () => void;
  readonly onClose: () => void;
}

export function RevokeKeyDialog({ listed: { id, name }, isOwn, onRevoked, onClose }: RevokeKeyDialogProps) {
  const { client } = useSession();
  const { show } = useToasts();
  const action = useAction();
  const revoke = () =>
    action.run(revokeKey({ client, path: { id } }), () => {
      show({ text: 'The key was revoked.' });
      onClose();
      onRevoked();
    });
  return (
    <ConfirmDialog title="Revoke this key?" confirmLabel="Revoke" action={action} onConfirm={revoke} onClose={onClose}>
      <p>
        Whatever uses <ShortText value={name} /> is refused within a second. This cannot be taken back.
      </p>
      {isOwn && (
        <p>
          <strong>It is the key that you are signed in with: you are signed out, too.</strong>
        </p>
      )}
    </ConfirmDialog>
  );
}
