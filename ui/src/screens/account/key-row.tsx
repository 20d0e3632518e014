import type { ListedKey } from '../../../../clients/typescript/src/index.js';
import { Badge } from '../../components/badge.js';
import { ShortText } from '../../components/text.js';
import { When } from '../../components/when.js';
import { scopeLabel } from './scope-words.js';

interface KeyRowProps {
  readonly listed: ListedKey;
  readonly isOwn: boolean;
  /** The name of the key that issued it, or who else did; null when that is not known. */
  readonly issuedBy: string | null;
  readonly onRevoke: () => void;
}

export function KeyRow({ listed, isOwn, issuedBy, onRevoke }: KeyRowProps) {
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
      <td data-label="Works until">
        <When at={expiresAt} otherwise="no end" show="instant" />
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
