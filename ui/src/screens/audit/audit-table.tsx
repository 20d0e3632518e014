import type { AuditRecord } from '../../../../clients/typescript/src/index.js';
import { Badge } from '../../components/badge.js';
import { ShortText, Text } from '../../components/text.js';
import { When } from '../../components/when.js';
import { actionText, actorText, attributeLines, nameLink } from './audit-words.js';

interface AuditTableProps {
  readonly records: readonly AuditRecord[];
  readonly isLoading: boolean;
}

export function AuditTable({ records, isLoading }: AuditTableProps) {
  return (
    <div class="table-box" role="region" aria-label="Table of acts" aria-busy={isLoading} tabIndex={0}>
      <table class="table stacked audit-table">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">What</th>
            <th scope="col">Who</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <AuditRow key={record.id} record={record} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function AuditRow({ record }: { record: AuditRecord }) {
  const {
    occurred_at: at,
    action,
    actor,
    target_id: targetId,
    address,
    user_agent: agent,
    request_id: request,
    client_request_id: clientRequest,
  } = record;
  const lines = attributeLines(record);
  const link = nameLink(record);
  return (
    <tr>
      <td data-label="When" class="audit-when">
        <When at={at} show="instant" />
      </td>
      <td data-label="What">
        {action === 'authentication.refused' ? (
          <Badge tone="bad">{actionText(action)}</Badge>
        ) : (
          <strong>{actionText(action)}</strong>
        )}
        {lines.length > 0 && (
          <ul class="plain-list audit-attributes muted">
            {lines.map((line) => (
              <li key={line}>
                <Text value={line} max={160} />
              </li>
            ))}
          </ul>
        )}
        {link !== null && (
          <p>
            <a href={link}>{action === 'watchlist.removed' ? 'Its history' : 'The name'}</a>
          </p>
        )}
        {(targetId !== null || request !== null) && (
          <details class="audit-ids">
            <summary>Ids</summary>
            <p class="muted">
              {targetId !== null && (
                <>
                  of what it concerns: <code>{targetId}</code>
                  <br />
                </>
              )}
              {request !== null && (
                <>
                  of the request: <code>{request}</code>
                </>
              )}
              {clientRequest !== null && (
                <>
                  <br />
                  the client’s own: <code>{clientRequest}</code>
                </>
              )}
            </p>
          </details>
        )}
      </td>
      <td data-label="Who">
        <ShortText value={actorText(actor)} max={60} />
      </td>
      <td data-label="From">
        {address === null ? <span class="muted">–</span> : <bdi>{address}</bdi>}
        {agent !== null && (
          <span class="audit-agent muted">
            <ShortText value={agent} max={48} />
          </span>
        )}
      </td>
    </tr>
  );
}
