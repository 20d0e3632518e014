import { useState } from 'preact/hooks';
import { type IssuedKey, type ListedKey, listKeys } from '../../../../clients/typescript/src/index.js';
import { useRequest } from '../../api/use-request.js';
import { useSession } from '../../api/session.js';
import { Dialog } from '../../components/dialog.js';
import { Icon } from '../../components/icon.js';
import { Loading } from '../../components/loading.js';
import { Pager } from '../../components/pager.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShownOnce } from '../../components/shown-once.js';
import { IssueKeyForm } from './issue-key-form.js';
import { KeyRow } from './key-row.js';
import { RevokeKeyDialog } from './revoke-key-dialog.js';

const PER_PAGE = 25;

/** The account's keys that are not revoked. */
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
                <th scope="col">Works until</th>
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
