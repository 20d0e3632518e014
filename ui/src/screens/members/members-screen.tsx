import { useState } from 'preact/hooks';
import { changeMember, listMembers, type Member, removeMember } from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { useAction, useRequest } from '../../api/use-request.js';
import { Badge } from '../../components/badge.js';
import { ConfirmDialog } from '../../components/dialog.js';
import { Loading, Page } from '../../components/page.js';
import { Pager } from '../../components/pager.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShortText } from '../../components/text.js';
import { useToasts } from '../../components/toasts.js';
import { When } from '../../components/when.js';
import { ClientAccounts } from './client-accounts.js';
import { Invitations } from './invitations.js';
import { type Role, roleLabel, ROLES } from './role-words.js';

const PER_PAGE = 50;

/** Shows the account's members and invitations. The operator also opens accounts for clients here. */
export function MembersScreen() {
  const { client, me } = useSession();
  const [page, setPage] = useState(1);
  const [removing, setRemoving] = useState<Member | null>(null);
  const { data, failure, isLoading, reload } = useRequest(
    (signal) => listMembers({ client, signal, query: { page, per_page: PER_PAGE } }),
    [page],
  );
  return (
    <Page title="Members">
      {failure && <ProblemNote failure={failure} onRetry={reload} />}
      {data === null && isLoading && <Loading />}
      {data?.meta.total === 0 && (
        <section class="card empty-state">
          <h2>Nobody is a member yet</h2>
          <p>Members sign in as themselves, and the audit trail names them. Keys are for programs.</p>
        </section>
      )}
      {data && data.data.length > 0 && (
        <div class="table-box" role="region" aria-label="Table of members" tabIndex={0}>
          <table class="table stacked">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Address</th>
                <th scope="col">Role</th>
                <th scope="col">Member</th>
                <th scope="col">Last signed in</th>
                <th scope="col">
                  <span class="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.data.map((member) => (
                <MemberRow
                  key={member.id}
                  member={member}
                  isOwn={member.id === me.person?.id}
                  onChanged={reload}
                  onRemove={() => setRemoving(member)}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {data && data.meta.total > PER_PAGE && (
        <Pager page={page} perPage={PER_PAGE} total={data.meta.total} onPage={setPage} />
      )}
      <Invitations />
      {me.can_open_accounts && <ClientAccounts />}
      {removing && (
        <RemoveDialog
          member={removing}
          isOwn={removing.id === me.person?.id}
          onRemoved={reload}
          onClose={() => setRemoving(null)}
        />
      )}
    </Page>
  );
}

interface MemberRowProps {
  readonly member: Member;
  readonly isOwn: boolean;
  readonly onChanged: () => void;
  readonly onRemove: () => void;
}

function MemberRow({ member, isOwn, onChanged, onRemove }: MemberRowProps) {
  const { email, added_by: addedBy, added_at: addedAt, signed_in_at: signedInAt } = member;
  return (
    <tr>
      <th scope="row">
        <ShortText value={nameOf(member)} max={40} /> {isOwn && <Badge tone="calm">You</Badge>}
      </th>
      <td data-label="Address">
        <ShortText value={email ?? 'not verified'} max={48} />
      </td>
      <td data-label="Role">
        {addedBy === 'group' ? member.role : <RoleSelect member={member} onChanged={onChanged} />}
      </td>
      <td data-label="Member">
        <When at={addedAt} show="day" />{' '}
        <span class="muted">{addedBy === 'group' ? 'by a group' : 'by invitation'}</span>
      </td>
      <td data-label="Last signed in">
        <When at={signedInAt} />
      </td>
      <td>
        <button type="button" class="button small danger" aria-label={`Remove ${nameOf(member)}`} onClick={onRemove}>
          Remove…
        </button>
      </td>
    </tr>
  );
}

/** Changes a role. A role by a group can be changed only at the provider. */
function RoleSelect({ member, onChanged }: Pick<MemberRowProps, 'member' | 'onChanged'>) {
  const { client } = useSession();
  const { show } = useToasts();
  const { isBusy, failure, run } = useAction();
  const [chosen, setChosen] = useState<Role | null>(null);
  const change = (role: Role) => {
    setChosen(role);
    run(changeMember({ client, path: { id: member.id }, body: { role } }), () => {
      show({ text: 'The role was changed.' });
      onChanged();
    });
  };
  return (
    <>
      <select
        aria-label={`Role of ${nameOf(member)}`}
        value={failure ? member.role : (chosen ?? member.role)}
        disabled={isBusy}
        onChange={(event) => change(event.currentTarget.value as Role)}
      >
        {ROLES.map((role) => (
          <option key={role} value={role} title={roleLabel(role)}>
            {role}
          </option>
        ))}
      </select>
      {failure && <ProblemNote failure={failure} />}
    </>
  );
}

interface RemoveDialogProps {
  readonly member: Member;
  readonly isOwn: boolean;
  readonly onRemoved: () => void;
  readonly onClose: () => void;
}

function RemoveDialog({ member, isOwn, onRemoved, onClose }: RemoveDialogProps) {
  const { client } = useSession();
  const { show } = useToasts();
  const action = useAction();
  const remove = () =>
    action.run(removeMember({ client, path: { id: member.id } }), () => {
      show({ text: 'The member was removed.' });
      onClose();
      onRemoved();
    });
  return (
    <ConfirmDialog
      title="Remove this member?"
      confirmLabel="Remove"
      action={action}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        <ShortText value={nameOf(member)} /> is refused in this account within a second. Keys that they issued stay:
        revoke those under Keys and account.
      </p>
      {member.added_by === 'group' && (
        <p>
          <strong>A group of the provider lets them in again at the next sign-in, until it no longer has them.</strong>
        </p>
      )}
      {isOwn && (
        <p>
          <strong>This is you.</strong>
        </p>
      )}
    </ConfirmDialog>
  );
}

function nameOf({ name, email, id }: Member): string {
  return name ?? email ?? id;
}
