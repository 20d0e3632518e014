import { useState } from 'preact/hooks';
import { listAuditRecords } from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { useRequest } from '../../api/use-request.js';
import { Loading } from '../../components/page.js';
import { ProblemNote } from '../../components/problem-note.js';
import { Text } from '../../components/text.js';
import { When } from '../../components/when.js';
import { attributeLines } from './audit-words.js';

const AT_MOST = 1_000;

/** Lists the records of a bulk run when it is opened. Each transaction of the run has its own record. */
export function RunRecords({ runId }: { runId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Its records</summary>
      {isOpen && <Records runId={runId} />}
    </details>
  );
}

function Records({ runId }: { runId: string }) {
  const { client } = useSession();
  const { data, failure, reload } = useRequest(
    (signal) => listAuditRecords({ client, signal, query: { target: runId, limit: AT_MOST } }),
    [runId],
  );
  if (failure) return <ProblemNote failure={failure} onRetry={reload} />;
  if (data === null) return <Loading />;
  return (
    <>
      <ol class="audit-attributes">
        {data.data.map((record) => (
          <li key={record.id}>
            <When at={record.occurred_at} show="instant" />
            <span class="muted">
              {' '}
              <Text value={attributeLines(record).join('; ')} max={300} />
            </span>
          </li>
        ))}
      </ol>
      {data.meta.has_more && <p class="muted">These are the first {AT_MOST.toLocaleString('en')} records.</p>}
    </>
  );
}
