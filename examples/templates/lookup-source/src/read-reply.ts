import { absent, type DomainName, found, type LookupErrorCode, type RegistryHttpReply } from 'namewatch';
import type { SourceAnswer } from 'namewatch';

/** What the server says: `{ "domain": "taken.example", "registered": true, "expires_at": "2028-06-01T00:00:00Z" }`. */
interface Answer {
  readonly domain?: unknown;
  readonly registered?: unknown;
  readonly expires_at?: unknown;
}

/** Only a complete answer about this very name is one; everything else is a failure, never an absence. */
export function readReply(name: DomainName, { status, retryAfter, body }: RegistryHttpReply): SourceAnswer {
  if (status === 429) return failure('registry_throttled', status, Number(retryAfter) || null);
  if (status >= 500) return failure('registry_unreachable', status);
  const answer = status === 200 ? parse(body) : null;
  if (answer?.domain !== name.ascii || typeof answer.registered !== 'boolean')
    return failure('registry_answer_unusable', status);
  const expiresAt = typeof answer.expires_at === 'string' ? new Date(answer.expires_at) : null;
  const facts = answer.registered ? found({ statuses: [], expiresAt }) : absent;
  const excerpt = answer.registered ? 'registered' : 'not registered';
  return { kind: 'facts', facts, rule: 'server.answer', excerpt, httpStatus: status };
}

function failure(code: LookupErrorCode, httpStatus: number, retryAfterSeconds: number | null = null): SourceAnswer {
  const common = { rule: `server.${httpStatus}`, excerpt: `HTTP ${httpStatus}`, httpStatus };
  return { kind: 'failure', code, retryAfterSeconds, ...common };
}

function parse(body: Buffer): Answer | null {
  try {
    return JSON.parse(body.toString('utf8')) as Answer | null;
  } catch {
    return null; // a page of a proxy, or half an answer
  }
}
