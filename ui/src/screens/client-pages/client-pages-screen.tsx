import { useState } from 'preact/hooks';
import {
  listClientPages,
  type ListedClientPage,
  type MadeClientPage,
  revokeClientPage,
} from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { useAction, useRequest } from '../../api/use-request.js';
import { ConfirmDialog, Dialog } from '../../components/dialog.js';
import { Icon } from '../../components/icon.js';
import { EmptyState, Loading, Page } from '../../components/page.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShownOnce } from '../../components/shown-once.js';
import { ShortText } from '../../components/text.js';
import { useToasts } from '../../components/toasts.js';
import { describeDay } from '../../components/time-text.js';
import { When } from '../../components/when.js';
import { SERVICE_URL } from '../../routes.js';
import { MakePageForm } from './make-page-form.js';

/** Creates and revokes pages on which clients see their names without an account. */
export function ClientPagesScreen() {
  const { client, can } = useSession();
  const pages = useRequest((signal) => listClientPages({ client, signal }), []);
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<MadeClientPage | null>(null);
  const [revoking, setRevoking] = useState<ListedClientPage | null>(null);
  const close = () => {
    setMaking(false);
    setMade(null);
  };
  const onMade = (page: MadeClientPage) => {
    setMade(page);
    pages.reload();
  };
  const make = (
    <button type="button" class="button primary" onClick={() => setMaking(true)}>
      <Icon name="plus" /> Make a page
    </button>
  );
  const listed = pages.data?.data ?? [];
  return (
    <Page title="Client pages" {...(can('watchlist:write') ? { actions: make } : {})}>
      <p class="muted">
        A client opens a page without an account and sees the names with your tag: state, expiry and next step. Notes,
        tags and everything else stay with you.
      </p>
      {pages.failure && <ProblemNote failure={pages.failure} onRetry={pages.reload} />}
      {pages.data === null && pages.isLoading && <Loading />}
      {pages.data && listed.length === 0 && (
        <EmptyState title="No client page yet">
          <p>Tag the names of a client, make a page with this tag, and send its address to the client.</p>
        </EmptyState>
      )}
      {listed.length > 0 && <PageTable pages={listed} onRevoke={can('watchlist:write') ? setRevoking : null} />}
      {isMaking && (
        <Dialog title="Make a page" onClose={close}>
          {made ? (
            <ShownOnce
              label={made.title ?? 'Client page'}
              value={new URL(made.url, `${SERVICE_URL}/`).href}
              hint="Everybody who has it can see these names."
              onDone={close}
            />
          ) : (
            <MakePageForm onMade={onMade} />
          )}
        </Dialog>
      )}
      {revoking && <RevokeDialog page={revoking} onRevoked={pages.reload} onClose={() => setRevoking(null)} />}
    </Page>
  );
}

interface PageTableProps {
  readonly pages: readonly ListedClientPage[];
  /** null if the key may not revoke pages. */
  readonly onRevoke: ((page: ListedClientPage) => void) | null;
}

function PageTable({ pages, onRevoke }: PageTableProps) {
  return (
    <div class="table-box" role="region" aria-label="Table of client pages" tabIndex={0}>
      <table class="table stacked">
        <thead>
          <tr>
            <th scope="col">Page</th>
            <th scope="col">Tags</th>
            <th scope="col">Opened</th>
            <th scope="col">Ends</th>
            <th scope="col">Made</th>
            <th scope="col">
              <span class="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {pages.map((page) => (
            <tr key={page.id}>
              <th scope="row">
                <ShortText value={nameOf(page)} max={40} />
              </th>
              <td data-label="Tags">
                <span class="tag-list">
                  {page.tags.map((tag) => (
                    <span key={tag} class="tag">
                      <ShortText value={tag} max={24} />
                    </span>
                  ))}
                </span>
              </td>
              <td data-label="Opened">{openedText(page)}</td>
              <td data-label="Ends">
                <When at={page.expires_at} otherwise="never" show="day" />
              </td>
              <td data-label="Made">
                <When at={page.created_at} show="day" />
              </td>
              <td>
                {onRevoke && (
                  <button
                    type="button"
                    class="button small danger"
                    aria-label={`Revoke ${nameOf(page)}`}
                    onClick={() => onRevoke(page)}
                  >
                    Revoke…
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function nameOf({ title, tags }: ListedClientPage): string {
  return title ?? tags.join(', ');
}

function openedText({ opened, last_opened_on: day }: ListedClientPage): string {
  if (day === null) return 'never';
  return `${opened.toLocaleString('en')} ${opened === 1 ? 'time' : 'times'}, last on ${describeDay(new Date(day))}`;
}

interface RevokeDialogProps {
  readonly page: ListedClientPage;
  readonly onRevoked: () => void;
  readonly onClose: () => void;
}

function RevokeDialog({ page, onRevoked, onClose }: RevokeDialogProps) {
  const { client } = useSession();
  const { show } = useToasts();
  const revoking = useAction();
  const revoke = () =>
    revoking.run(revokeClientPage({ client, path: { id: page.id } }), () => {
      show({ text: 'The page was revoked.' });
      onRevoked();
      onClose();
    });
  return (
    <ConfirmDialog
      title="Revoke this page?"
      confirmLabel="Revoke"
      action={revoking}
      onConfirm={revoke}
      onClose={onClose}
    >
      <p>
        <ShortText value={nameOf(page)} max={40} /> opens no more, at once. This cannot be undone: a new page has a new
        address.
      </p>
    </ConfirmDialog>
  );
}
