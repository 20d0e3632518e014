import { currentRequest } from '../../platform/concurrency/request-context.js';
import type { Caller, Holder, SessionHolder } from '../caller/caller.js';
import type { AuditActor, AuditOrigin } from '../domain/audit-record.js';
import { getClientRequestId, toShownHeader } from '../../platform/http/request.js';

const MAX_USER_AGENT_LENGTH = 200;

const NO_REQUEST = { address: null, requestId: null, clientRequestId: null, userAgent: null };

/** Returns the caller of the current request. Outside of requests, returns `runner`, who runs this process. */
export function currentOrigin(runner: AuditActor): AuditOrigin {
  const request = currentRequest();
  if (!request) return { actor: runner, ...NO_REQUEST };
  const { caller, holder } = request as { readonly caller?: Caller | null; readonly holder?: SessionHolder | null };
  const by = caller?.by ?? holder?.by;
  return {
    actor: by ? toActor(by) : { type: 'unknown', id: null, name: null },
    address: request.ip,
    requestId: String(request.id),
    clientRequestId: getClientRequestId(request.headers),
    userAgent: toShownHeader(request.headers['user-agent'], MAX_USER_AGENT_LENGTH),
  };
}

function toActor(by: Holder): AuditActor {
  if (by.kind === 'key') return { type: 'key', id: by.id, name: null }; // the statement that inserts the record reads the name
  if (by.kind === 'person') return { type: 'person', id: by.id, name: by.name ?? by.email };
  const { subject, name, authenticator } = by;
  return { type: 'identity', id: subject, name: name === null ? authenticator : `${name} (${authenticator})` };
}
