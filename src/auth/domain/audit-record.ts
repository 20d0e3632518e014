import { AUDIT_ACTIONS, type AuditAction, type ExtensionAction } from './audit-actions.js';

/**
 * The kinds of actors, and the meaning of `id` and `name` for each:
 * - `key`: an API key; `id` and `name` are the key's
 * - `identity`: a caller that an extension recognized; `id` is the subject, `name` names the extension and perhaps the
 *   caller
 * - `person`: signed in by OpenID Connect; `id` is `per_…`, `name` the name or email address at that time
 * - `cli`: the command line; `name` is the operating system's user
 * - `bootstrap`: a start with BOOTSTRAP_API_KEY
 * - `first-start`: a start without BOOTSTRAP_API_KEY that opened the first account
 * - `recipient`: anyone who opens the link in a mail, to confirm the mail address or to unsubscribe
 * - `service`: the service itself, without any request
 * - `unknown`: a caller who was not recognized
 */
export const ACTOR_TYPES = [
  'key',
  'identity',
  'person',
  'cli',
  'bootstrap',
  'first-start',
  'recipient',
  'service',
  'unknown',
] as const;
export type ActorType = (typeof ACTOR_TYPES)[number];

export interface AuditActor {
  readonly type: ActorType;
  readonly id: string | null;
  readonly name: string | null;
}

export interface AuditOrigin {
  readonly actor: AuditActor;
  /** The client's address, as TRUST_PROXY determines it. */
  readonly address: string | null;
  /** The id that this service gave the request. A client cannot choose it. */
  readonly requestId: string | null;
  /** The client's own id for its request, shortened. */
  readonly clientRequestId: string | null;
  /** The `User-Agent` header, shortened. */
  readonly userAgent: string | null;
}

export type AuditValue = string | number | boolean | null | readonly string[] | readonly number[];
/** Attributes in a record. They contain no secrets: a notification target appears only as its host or domain. */
export type AuditAttributes = Readonly<Record<string, AuditValue>>;

export interface AuditEntry {
  readonly action: AuditAction | ExtensionAction;
  /** The account to which the target belongs; null for the operator. The record is deleted with the account. */
  readonly accountId: string | null;
  /** The id of the changed object, such as an account or a key. */
  readonly targetId: string | null;
  readonly before?: AuditAttributes;
  readonly after?: AuditAttributes;
}

export interface AuditRecord extends AuditOrigin, Required<Omit<AuditEntry, 'action' | 'before' | 'after'>> {
  /** `aud_…` */
  readonly id: string;
  /** An action of Namewatch or an extension. A stored record may have an action that this version does not know. */
  readonly action: string;
  readonly occurredAt: Date;
  readonly before: AuditAttributes | null;
  readonly after: AuditAttributes | null;
}

export interface AuditFilter {
  /** An action, or `key.*` for all actions that begin with `key.`. */
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly request?: string | undefined;
  /** The id of an actor, or an actor type. */
  readonly actor?: string | undefined;
  /** Inclusive. */
  readonly since?: Date | undefined;
  /** Exclusive. */
  readonly until?: Date | undefined;
}

/** Returns only the attributes whose values differ. Returns null if all are equal. */
export function diffAttributes(
  before: AuditAttributes,
  after: AuditAttributes,
): { before: AuditAttributes; after: AuditAttributes } | null {
  const names = Object.keys({ ...before, ...after }).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  if (names.length === 0) return null;
  const pick = (all: AuditAttributes) =>
    Object.fromEntries(names.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])));
  return { before: pick(before), after: pick(after) };
}

/** Returns the id of the bulk run, such as an import, that wrote this record. Returns null for other records. */
function runOf({ action, targetId }: Pick<AuditRecord, 'action' | 'targetId'>): string | null {
  return AUDIT_ACTIONS[action as AuditAction] === 'run' ? targetId : null;
}

/** Joins the records of each bulk run, such as an import, into one record. Adds up their counts. */
export function joinRuns<Viewed extends Pick<AuditRecord, 'action' | 'targetId' | 'after'>>(
  records: readonly Viewed[],
): Viewed[] {
  const joined = new Map<unknown, Viewed>();
  for (const record of records) {
    const key = runOf(record) ?? record;
    const former = joined.get(key);
    joined.set(key, former ? { ...former, after: sum(former.after, record.after) } : record);
  }
  return [...joined.values()];
}

const COUNTS: ReadonlySet<string> = new Set(['created', 'changed', 'removed']);

function sum(one: AuditAttributes | null, other: AuditAttributes | null): AuditAttributes {
  const added = Object.entries(other ?? {}).filter(([name]) => COUNTS.has(name));
  return { ...one, ...Object.fromEntries(added.map(([name, n]) => [name, Number(one?.[name] ?? 0) + Number(n)])) };
}

/** Returns a record in the form that the API and the command line show. */
export function toAuditRecordView(record: AuditRecord) {
  return {
    id: record.id,
    occurred_at: record.occurredAt.toISOString(),
    action: record.action,
    actor: record.actor,
    target_id: record.targetId,
    run_id: runOf(record),
    before: record.before,
    after: record.after,
    address: record.address,
    request_id: record.requestId,
    client_request_id: record.clientRequestId,
    user_agent: record.userAgent,
  };
}
