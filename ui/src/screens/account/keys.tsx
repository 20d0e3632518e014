import { useState } from 'preact/hooks';
import {
  type IssuedKey,
  issueKey,
  type ListedKey,
  listKeys,
  revokeKey,
} from '../../../../clients/typescript/src/index.js';
import { useExtensions } from '../../api/extensions.js';
import { useSession } from '../../api/session.js';
import { useAction, useRequest } from '../../api/use-request.js';
import { Badge } from '../../components/badge.js';
import { ConfirmDialog, Dialog } from '../../components/dialog.js';
import { Icon } from '../../components/icon.js';
import { Loading } from '../../components/page.js';
import { Pager } from '../../components/pager.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShownOnce } from '../../components/shown-once.js';
import { ShortText } from '../../components/text.js';
import { useToasts } from '../../components/toasts.js';
import { When } from '../../components/when.js';
import { type Scope, scopeLabel, SCOPES } from './scope-words.js';

const PER_PAGE = 25;

export function Keys({ ownKeyId }: { ownKeyId: string | null }) {
  const { client } = useSession();
  const [page, setPage] = useState(1);
  const [isIssuing, setIssuing] = useState(false);
  const [issued, setIssued] = useState<IssuedKey | null>(null);
  const [revoking, setRevoking] = useState<ListedKey | null>(null);
  const { data, failure, isLoading, reload } = useRequest(
    (signal) => listKeys({ client, signal, query: { page, per_page: PER_PAGE } }),
    [page],
  );
  const close = () => {
    setIssuing(false);
    setIssued(null);
  };
  const onIssued = (key: IssuedKey) => {
    setIssued(key);
    reload();
  };
  return (
    <section class="stack-wide" aria-labelledby="keys">
      <div class="page-head">
        <h2 id="keys">Keys</h2>
        <button type="button" class="button primary" onClick={() => setIssuing(true)}>
          <Icon name="plus" /> Issue a key
        </button>
      </div>
      {failure && <ProblemNote failure={failure} onRetry={reload} />}
      {data === null && isLoading && <Loading />}
      {data && (
        <div class="table-box" role="region" aria-label="Table of keys" tabIndex={0}>
          <table class="table stacked">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Scopes</th>
                <th scope="col">Last used</th>
                <th scope="col">Expires</th>
                <th scope="col">Issued</th>
                <th scope="col">
                  <span class="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.data.map((key) => (
                <KeyRow
                  key={key.id}
                  listed={key}
                  isOwn={key.id === ownKeyId}
                  issuedBy={data.data.find(({ id }) => id === key.issued_by)?.name ?? key.issued_by}
                  onRevoke={() => setRevoking(key)}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {data && data.meta.total > PER_PAGE && (
        <Pager page={page} perPage={PER_PAGE} total={data.meta.total} onPage={setPage} />
      )}
      {isIssuing && (
        <Dialog title="Issue a key" onClose={close}>
          {issued ? (
            <ShownOnce label={issued.name} value={issued.key} hint="It can act for this account." onDone={close} />
          ) : (
            <IssueKeyForm onIssued={onIssued} />
          )}
        </Dialog>
      )}
      {revoking && (
        <RevokeKeyDialog
          listed={revoking}
          isOwn={revoking.id === ownKeyId}
          onRevoked={reload}
          onClose={() => setRevoking(null)}
        />
      )}
    </section>
  );
}

interface KeyRowProps {
  readonly listed: ListedKey;
  readonly isOwn: boolean;
  /** The name of the key or person that issued this key; null if unknown. */
  readonly issuedBy: string | null;
  readonly onRevoke: () => void;
}

function KeyRow({ listed, isOwn, issuedBy, onRevoke }: KeyRowProps) {
  const { name, scopes, last_used_at: lastUsedAt, expires_at: expiresAt, created_at: createdAt } = listed;
  return (
    <tr>
      <th scope="row">
        <ShortText value={name} max={40} /> {isOwn && <Badge tone="calm">This one</Badge>}
      </th>
      <td data-label="Scopes">
        <span class="tag-list">
          {scopes.map((scope) => (
            <span key={scope} class="tag" title={scopeLabel(scope)}>
              {scope}
            </span>
          ))}
        </span>
      </td>
      <td data-label="Last used">
        <When at={lastUsedAt} otherwise="never" />
      </td>
      <td data-label="Expires">
        <When at={expiresAt} otherwise="does not expire" show="instant" />
      </td>
      <td data-label="Issued">
        <When at={createdAt} show="day" />
        {issuedBy !== null && issuedBy !== '' && (
          <span class="muted">
            {' by '}
            <ShortText value={issuedBy} max={32} />
          </span>
        )}
      </td>
      <td>
        <button type="button" class="button small danger" aria-label={`Revoke ${name}`} onClick={onRevoke}>
          Revoke…
        </button>
      </td>
    </tr>
  );
}

const LIFETIMES = [
  { days: 0, label: 'until it is revoked' },
  { days: 30, label: 'for 30 days' },
  { days: 90, label: 'for 90 days' },
  { days: 365, label: 'for a year' },
];
const SUGGESTED_DAYS = 90;
const DAY_MS = 86_400_000;

/** Issues a key. The issuer chooses each permission, so that the key has no more than it needs. */
function IssueKeyForm({ onIssued }: { onIssued: (key: IssuedKey) => void }) {
  const { client } = useSession();
  const { extensions } = useExtensions();
  const { isBusy, failure, run } = useAction();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>([]);
  const [days, setDays] = useState(SUGGESTED_DAYS);
  const offered = [...SCOPES, ...extensions.flatMap(({ scopes: theirs }) => theirs)];
  const toggle = (scope: string) =>
    setScopes(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope]);
  const submit = (event: Event) => {
    event.preventDefault();
    const until = days === 0 ? {} : { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() };
    const body = { name: name.trim(), scopes: [...scopes] as Scope[], ...until }; // the type lacks scopes of extensions
    run(issueKey({ client, body }), onIssued);
  };
  return (
    <form class="form" onSubmit={submit}>
      <label class="field">
        <span class="field-label">Name</span>
        <input
          required
          name="name"
          placeholder="deploy"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <span class="field-hint">A name, so that you know later which key to revoke.</span>
      </label>
      <fieldset class="choices">
        <legend class="field-label">It may</legend>
        {offered.map((scope) => (
          <label key={scope} class="choice">
            <input type="checkbox" checked={scopes.includes(scope)} onChange={() => toggle(scope)} />
            <span>
              {scopeLabel(scope) !== scope && scopeLabel(scope)} <code>{scope}</code>
            </span>
          </label>
        ))}
      </fieldset>
      <label class="field">
        <span class="field-label">It works</span>
        <select value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
          {LIFETIMES.map((one) => (
            <option key={one.days} value={one.days}>
              {one.label}
            </option>
          ))}
        </select>
      </label>
      {failure && <ProblemNote failure={failure} />}
      <div class="button-row">
        <button type="submit" class="button primary" disabled={isBusy || scopes.length === 0}>
          Issue
        </button>
      </div>
    </form>
  );
}

interface RevokeKeyDialogProps {
  readonly listed: ListedKey;
  readonly isOwn: boolean;
  readonly onRevoked: () => void;
  readonly onClose: () => void;
}

function RevokeKeyDialog({ listed: { id, name }, isOwn, onRevoked, onClose }: RevokeKeyDialogProps) {
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
