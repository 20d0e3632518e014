import type { Actor, AuditAction, AuditRecord } from '../../../../clients/typescript/src/index.js';
import { namePath, removedNamePath } from '../../routes.js';

type Subject = AuditAction extends infer Action ? (Action extends `${infer What}.${string}` ? What : never) : never;

/** null if an account has no such records. */
const GROUPS = {
  key: 'Keys',
  channel: 'Channels',
  delivery: 'Redeliveries',
  mailbox: 'Mailboxes',
  watchlist: 'Names',
  calendar: 'Calendar',
  client_page: 'Client pages',
  account: 'Account',
  member: 'Members',
  invitation: 'Invitations',
  session: 'Sign-ins',
  authentication: 'Refused credentials',
  plans: null,
  secrets: null,
} as const satisfies Readonly<Record<Subject, string | null>>;

/** The groups of actions that can be filtered. */
export const ACTION_GROUPS = Object.entries(GROUPS).flatMap(([what, label]) =>
  label === null ? [] : [{ value: `${what}.*`, label }],
);

const ACTIONS = {
  'key.issued': 'Issued a key',
  'key.revoked': 'Revoked a key',
  'channel.added': 'Added a channel',
  'channel.removed': 'Removed a channel',
  'channel.changed': 'Changed a channel',
  'channel.secret_rotated': 'Rotated the secret of a channel',
  'channel.tested': 'Sent a test',
  'channel.replayed': 'Replayed events',
  'channel.confirmation_requested': 'Asked an address to confirm',
  'channel.confirmed': 'Confirmed an address',
  'delivery.redelivered': 'Sent an event again',
  'mailbox.unsubscribed': 'Unsubscribed',
  'watchlist.added': 'Added a name',
  'watchlist.changed': 'Changed a name',
  'watchlist.paused': 'Paused a name',
  'watchlist.resumed': 'Resumed a name',
  'watchlist.removed': 'Removed a name',
  'watchlist.imported': 'Imported names',
  'watchlist.changed_many': 'Changed many names',
  'watchlist.removed_many': 'Removed many names',
  'calendar.address_made': 'Made a calendar address',
  'calendar.address_revoked': 'Revoked the calendar address',
  'client_page.made': 'Made a page for a client',
  'client_page.revoked': 'Revoked a page for a client',
  'account.created': 'Created the account',
  'account.plan_changed': 'Changed the plan',
  'account.suspended': 'Suspended the account',
  'account.resumed': 'Resumed the account',
  'account.deletion_started': 'Began to delete the account',
  'account.deleted': 'Deleted the account',
  'plans.changed': 'Changed the plans',
  'secrets.resealed': 'Sealed the secrets anew',
  'invitation.made': 'Invited a person',
  'invitation.revoked': 'Took an invitation back',
  'member.joined': 'Became a member',
  'member.role_changed': 'Gave a member another role',
  'member.removed': 'Took a member out',
  'session.started': 'Signed in',
  'session.ended': 'Signed out',
  'authentication.refused': 'A credential was refused',
} as const satisfies Readonly<Record<AuditAction, string>>;

/** Describes an action. An action of an extension or a later version is shown unchanged. */
export function actionText({ action }: Pick<AuditRecord, 'action'>): string {
  return (ACTIONS as Readonly<Record<string, string>>)[action] ?? action;
}

const ACTORS: Readonly<Record<Actor['type'], string>> = {
  key: 'A key',
  identity: 'A signed-in person',
  person: 'A signed-in person',
  cli: 'The operator, on the command line',
  bootstrap: 'The settings of the service',
  'first-start': 'The first start of the service',
  recipient: 'A person with the link of a mail',
  service: 'The service',
  unknown: 'Not recognized',
};

/** Returns the page of the record's name. For a removed name, the page shows the history of the removed entry. */
export function nameLink({ action, target_id: entryId, before, after }: AuditRecord): string | null {
  const domain = after?.['domain'] ?? before?.['domain'];
  if (!action.startsWith('watchlist.') || typeof domain !== 'string') return null;
  return action === 'watchlist.removed' && entryId !== null ? removedNamePath(domain, entryId) : namePath(domain);
}

/** Returns the id of an import that added names. Returns null for other records. */
export function addingImport({ run_id: id, action, after }: AuditRecord): string | null {
  return action === 'watchlist.imported' && Number(after?.['created']) > 0 ? id : null;
}

const COUNTS: ReadonlySet<string> = new Set(['created', 'changed', 'removed']);

/** Merges the records of each bulk run into its newest record, and adds up their counts. */
export function joinRuns(records: readonly AuditRecord[]): readonly AuditRecord[] {
  const joined = new Map<string, AuditRecord>();
  for (const record of records) {
    const key = record.run_id ?? record.id;
    const former = joined.get(key);
    joined.set(key, former ? { ...former, after: sum(former.after, record.after) } : record);
  }
  return [...joined.values()];
}

function sum(one: AuditRecord['after'], other: AuditRecord['after']): NonNullable<AuditRecord['after']> {
  const added = Object.entries(other ?? {}).filter(([name]) => COUNTS.has(name));
  return { ...one, ...Object.fromEntries(added.map(([name, n]) => [name, Number(one?.[name] ?? 0) + Number(n)])) };
}

/** Returns the name of a key or person. For an extension's identity, returns its subject and the extension. */
export function actorText({ type, id, name }: Actor): string {
  if (type === 'key' || type === 'person') return name ?? id ?? ACTORS[type];
  return type === 'identity' ? `${id}, ${name}` : ACTORS[type];
}

/** Returns lines such as `name: Deploy → Deploys`. Leaves out attributes without a value. */
export function attributeLines({ before, after }: Pick<AuditRecord, 'before' | 'after'>): readonly string[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].flatMap((name) => {
    const [was, is] = [before?.[name], after?.[name]];
    const label = name.replaceAll('_', ' ');
    if (was === undefined) return valueText(is) === NONE ? [] : `${label}: ${valueText(is)}`;
    return is === undefined ? `${label} was: ${valueText(was)}` : `${label}: ${valueText(was)} → ${valueText(is)}`;
  });
}

const NONE = 'none';

function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return NONE;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? NONE : value.map(valueText).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
