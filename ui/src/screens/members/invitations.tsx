import { useState } from 'preact/hooks';
import {
  getSignIn,
  type Invitation,
  invite,
  listInvitations,
  type MadeInvitation,
  revokeInvitation,
} from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { useAction, useRequest } from '../../api/use-request.js';
import { Dialog } from '../../components/dialog.js';
import { Icon } from '../../components/icon.js';
import { Loading } from '../../components/page.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShownOnce } from '../../components/shown-once.js';
import { ShortText } from '../../components/text.js';
import { useToasts } from '../../components/toasts.js';
import { When } from '../../components/when.js';
import { type Role, roleLabel, ROLES } from './role-words.js';

export function Invitations() {
  const { client } = useSession();
  const [isInviting, setInviting] = useState(false);
  const [made, setMade] = useState<MadeInvitation | null>(null);
  const { data, failure, isLoading, reload } = useRequest((signal) => listInvitations({ client, signal }), []);
  const signIn = useRequest((signal) => getSignIn({ client, signal }), []);
  const close = () => {
    setInviting(false);
    setMade(null);
  };
  const onMade = (invitation: MadeInvitation) => {
    setMade(invitation);
    reload();
  };
  return (
    <section class="stack-wide" aria-labelledby="invitations">
      <div class="page-head">
        <h2 id="invitations">Invitations</h2>
        <button type="button" class="button primary" onClick={() => setInviting(true)}>
          <Icon name="plus" /> Invite somebody
        </button>
      </div>
      {signIn.data?.provider === null && (
        <p role="note">
          People cannot sign in here yet: this service has no OpenID Connect provider. An invitation works once it has
          one.
        </p>
      )}
      {failure && <ProblemNote failure={failure} onRetry={reload} />}
      {data === null && isLoading && <Loading />}
      {data?.data.length === 0 && <p class="muted">Nobody is invited at the moment.</p>}
      {data && data.data.length > 0 && <InvitationTable invitations={data.data} onRevoked={reload} />}
      {isInviting && (
        <Dialog title="Invite somebody" onClose={close}>
          {made ? (
            <InvitationLink email={made.email} path={made.link} isMailed={made.mail === 'queued'} onDone={close} />
          ) : (
            <InviteForm onMade={onMade} />
          )}
        </Dialog>
      )}
    </section>
  );
}

interface InvitationLinkProps {
  readonly email: string;
  /** The path of the link at this service. */
  readonly path: string;
  readonly isMailed: boolean;
  readonly onDone: () => void;
}

export function InvitationLink({ email, path, isMailed, onDone }: InvitationLinkProps) {
  const sent = isMailed ? `It goes to ${email} by mail, too:` : `Send it to ${email}:`;
  const hint = `${sent} it works once, within seven days, and only for who has that address at the provider.`;
  return (
    <ShownOnce label={`Link for ${email}`} value={new URL(path, location.origin).href} hint={hint} onDone={onDone} />
  );
}

const MAIL_TEXTS: Readonly<Record<Invitation['mail'], string>> = {
  none: 'not by mail',
  queued: 'by mail',
  failed: 'could not be mailed: revoke it, and send the link of a new one yourself',
};

interface InvitationTableProps {
  readonly invitations: readonly Invitation[];
  readonly onRevoked: () => void;
}

function InvitationTable({ invitations, onRevoked }: InvitationTableProps) {
  return (
    <div class="table-box" role="region" aria-label="Table of invitations" tabIndex={0}>
      <table class="table stacked">
        <thead>
          <tr>
            <th scope="col">Address</th>
            <th scope="col">Role</th>
            <th scope="col">Invited</th>
            <th scope="col">Mail</th>
            <th scope="col">Ends</th>
            <th scope="col">
              <span class="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {invitations.map((invitation) => (
            <InvitationRow key={invitation.id} invitation={invitation} onRevoked={onRevoked} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface InvitationRowProps {
  readonly invitation: Invitation;
  readonly onRevoked: () => void;
}

function InvitationRow({ invitation, onRevoked }: InvitationRowProps) {
  const { client } = useSession();
  const { show } = useToasts();
  const { isBusy, failure, run } = useAction();
  const { id, email, role, mail, created_at: createdAt, expires_at: expiresAt } = invitation;
  const revoke = () =>
    run(revokeInvitation({ client, path: { id } }), () => {
      show({ text: 'The invitation was revoked: its link no longer works.' });
      onRevoked();
    });
  return (
    <tr>
      <th scope="row">
        <ShortText value={email} max={48} />
      </th>
      <td data-label="Role">{role}</td>
      <td data-label="Invited">
        <When at={createdAt} />
      </td>
      <td data-label="Mail">{MAIL_TEXTS[mail]}</td>
      <td data-label="Ends">
        <When at={expiresAt} />
      </td>
      <td>
        <button
          type="button"
          class="button small danger"
          disabled={isBusy}
          aria-label={`Revoke the invitation of ${email}`}
          onClick={revoke}
        >
          Revoke
        </button>
        {failure && <ProblemNote failure={failure} />}
      </td>
    </tr>
  );
}

function InviteForm({ onMade }: { onMade: (invitation: MadeInvitation) => void }) {
  const { client } = useSession();
  const { isBusy, failure, run } = useAction();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const submit = (event: Event) => {
    event.preventDefault();
    run(invite({ client, body: { email: email.trim(), role } }), onMade);
  };
  return (
    <form class="form" onSubmit={submit}>
      <label class="field">
        <span class="field-label">Address</span>
        <input
          required
          type="email"
          name="email"
          autocomplete="off"
          placeholder="alice@example.test"
          value={email}
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
        <span class="field-hint">As the person has it where they sign in.</span>
      </label>
      <fieldset class="choices">
        <legend class="field-label">Role</legend>
        {ROLES.map((one) => (
          <label key={one} class="choice">
            <input type="radio" name="role" checked={role === one} onChange={() => setRole(one)} />
            <span>
              <strong>{one}</strong> <span class="muted">{roleLabel(one)}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {failure && <ProblemNote failure={failure} />}
      <div class="button-row">
        <button type="submit" class="button primary" disabled={isBusy}>
          Invite
        </button>
      </div>
    </form>
  );
}
