import {
  absent,
  type DomainName,
  found,
  type LookupErrorCode,
  premium,
  type RegistryHttpReply,
  type SourceAnswer,
} from 'namewatch';

/** What the registrar says about a name. Members that are not read, such as its owner, are not kept. */
interface Availability {
  readonly domain?: unknown;
  readonly status?: unknown;
  readonly registry_statuses?: unknown;
  readonly registry_expires_at?: unknown;
  readonly premium?: unknown;
  readonly price?: { readonly amount?: unknown; readonly currency?: unknown };
}

/** Only a complete answer about this very name is one; everything else is a failure, never an absence. */
export function readReply(name: DomainName, reply: RegistryHttpReply): SourceAnswer {
  const { status, retryAfter } = reply;
  if (status === 429) return failure('registry_throttled', status, Number(retryAfter) || null);
  if (status !== 200) return failure(status >= 500 ? 'registry_unreachable' : 'registry_answer_unusable', status);
  const availability = parse(reply.body);
  if (availability?.domain !== name.ascii) return failure('registry_answer_unusable', status);
  if (availability.status === 'registered') return registered(availability);
  return availability.status === 'available' ? available(availability) : failure('registry_answer_unusable', status);
}

function registered({ registry_statuses: statuses, registry_expires_at: expiry }: Availability): SourceAnswer {
  const expiresAt = typeof expiry === 'string' ? new Date(expiry) : null;
  const facts = found({ statuses: Array.isArray(statuses) ? (statuses as string[]) : [], expiresAt });
  const excerpt = `registered, expires ${expiresAt?.toISOString() ?? 'unknown'}`;
  return { kind: 'facts', facts, rule: 'registrar.registered', excerpt, httpStatus: 200 };
}

/** Kind and price of a name stay in its evidence, although the registry decides whether it is free. */
function available({ premium: isPremium, price }: Availability): SourceAnswer {
  const cost = price ? `, ${String(price.amount)} ${String(price.currency)}` : '';
  const excerpt = `available${isPremium === true ? ', premium' : ''}${cost}`;
  const facts = isPremium === true ? premium : absent;
  return { kind: 'facts', facts, rule: 'registrar.available', excerpt, httpStatus: 200 };
}

function failure(code: LookupErrorCode, httpStatus: number, retryAfterSeconds: number | null = null): SourceAnswer {
  const common = { rule: `registrar.${httpStatus}`, excerpt: `HTTP ${httpStatus}`, httpStatus };
  return { kind: 'failure', code, retryAfterSeconds, ...common };
}

function parse(body: Buffer): Availability | null {
  try {
    return JSON.parse(body.toString('utf8')) as Availability | null;
  } catch {
    return null; // a page of a proxy, or half an answer
  }
}
