import { useLocation } from 'preact-iso';
import { removeNotificationChannel } from '../../../../../clients/typescript/src/index.js';
import { useAction } from '../../../api/use-action.js';
import { useSession } from '../../../api/session.js';
import { ConfirmDialog } from '../../../components/confirm-dialog.js';
import { useToasts } from '../../../components/toasts.js';
import { ROUTES } from '../../../routes.js';

export function RemoveChannelDialog({ channelId, onClose }: { channelId: string; onClose: () => void }) {
  const { client } = useSession();
  const { route } = useLocation();
  const { show } = useToasts();
  const action = useAction();
  const remove = () =>
    action.run(removeNotificationChannel({ client, path: { id: channelId } }), () => {
      show({ text: 'The channel was removed.' });
      route(ROUTES.notifications);
    });
  return (
    <ConfirmDialog
      title="Remove this channel?"
      confirmLabel="Remove"
      action={action}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>Nothing is sent to it any more, and what was sent is no longer shown. To pause it, turn it off instead.</p>
    </ConfirmDialog>
  );
}
