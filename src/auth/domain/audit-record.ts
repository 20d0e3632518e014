import type { AuditAction, ExtensionAction } from './audit-actions.js';

/**
 * - `key`: `id` is that of the API key, `name` its name
 * - `identity`: a caller that an extension recognized; `id` is its subject, `name` the extension
 * - `person`: who signed in by OpenID Connect; `id` is `per_…`, `name` the name or address at that time
 * - `cli`: `name` is the operating system's user
 * - `bootstrap`, `first-start`: the key of an unattended installation, the first start of any other
 * - `recipient`: anyone who has the link of a mail
 * - `service`: the service by itself; `unknown`: a caller who was not recognized
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

/** The actor, and where the act came from. */
export interface AuditOrigin {
  readonly actor: AuditActor;
  /** The client's, by the rules of TRUST_PROXY. */
  readonly address: string | null;
  /** Ours: nobody can choose it. */
  readonly requestId: string | null;
  /** The client's name for its request, shortened. */
  readonly clientRequestId: string | null;
  /** As sent, shortened. */
  readonly userAgent: string | null;
}

export type AuditValue = string | number | boolean | null | readonly string[] | readonly number[];
/** Attributes that may be shown: never a secret, and of a target its host or domain only. */
export type AuditAttributes = Readonly<Record<string, AuditValue>>;

/** One act. */
export interface AuditEntry {
  readonly action: AuditAction | ExtensionAction;
  /** The account that acts or owns the target; null: the operator's. Removed with the account. */
  readonly accountId: string | null;
  /** The id of what was changed. */
  readonly targetId: string | null;
  readonly before?: AuditAttributes;
  readonly after?: AuditAttributes;
}

export interface AuditRecord extends AuditOrigin, Required<Omit<AuditEntry, 'action' | 'before' | 'after'>> {
  /** `aud_…` */
  readonly id: string;
  /** One of the catalogue or of an extension; of another version, perhaps, where it was read. */
  readonly action: string;
  readonly occurredAt: Date;
  readonly before: AuditAttributes | null;
  readonly after: AuditAttributes | null;
}

export interface AuditFilter {
  /** An action, or `key.*` for all that begin with `key.`. */
  readonly action?: string | undefined;
  /** The id of what was changed. */
  readonly target?: string | undefined;
  /** Ours, of the request that did it. */
  readonly request?: string | undefined;
  /** An id, or a type of actors. */
  readonly actor?: string | undefined;
  /** Included. */
  readonly since?: Date | undefined;
  /** Excluded. */
  readonly until?: Date | undefined;
}

/** Only what differs; null when nothing does. */
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
