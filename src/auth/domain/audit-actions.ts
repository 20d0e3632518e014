/** Maps each recorded action, `<subject>.<verb in the past>`, to the kind of its target; null if it has no target. */
export const AUDIT_ACTIONS = {
  'account.created': 'account',
  'account.deleted': 'account',
  'account.deletion_started': 'account',
  'account.plan_changed': 'account',
  'account.resumed': 'account',
  'account.suspended': 'account',
  'authentication.refused': 'key',
  'calendar.address_made': null,
  'calendar.address_revoked': null,
  'channel.added': 'channel',
  'channel.changed': 'channel',
  'channel.confirmation_requested': 'channel',
  'channel.confirmed': 'channel',
  'channel.removed': 'channel',
  'channel.replayed': 'channel',
  'channel.secret_rotated': 'channel',
  'channel.tested': 'channel',
  'client_page.made': 'address',
  'client_page.revoked': 'address',
  'delivery.redelivered': 'delivery',
  'invitation.made': 'invitation',
  'invitation.revoked': 'invitation',
  'key.issued': 'key',
  'key.revoked': 'key',
  'mailbox.unsubscribed': 'channel',
  'member.joined': 'person',
  'member.removed': 'person',
  'member.role_changed': 'person',
  'plans.changed': null,
  'secrets.resealed': null,
  'session.ended': 'session',
  'session.started': 'session',
  'watchlist.added': 'entry',
  'watchlist.changed': 'entry',
  'watchlist.changed_many': 'run',
  'watchlist.imported': 'run',
  'watchlist.paused': 'entry',
  'watchlist.removed': 'entry',
  'watchlist.removed_many': 'run',
  'watchlist.resumed': 'entry',
} as const satisfies Readonly<
  Record<
    string,
    | 'account'
    | 'address'
    | 'channel'
    | 'delivery'
    | 'entry'
    | 'invitation'
    | 'key'
    | 'person'
    | 'run'
    | 'session'
    | null
  >
>;

export type AuditAction = keyof typeof AUDIT_ACTIONS;
export const AUDIT_ACTION_NAMES = Object.keys(AUDIT_ACTIONS) as readonly AuditAction[];

declare const OF_EXTENSION: unique symbol;
/** An action of an extension, such as `ledger.exported`. Only {@link toExtensionAction} makes values of this type. */
export type ExtensionAction = string & { readonly [OF_EXTENSION]: true };

const SUBJECTS: readonly string[] = [...new Set(AUDIT_ACTION_NAMES.map((action) => action.replace(/\..*/, '')))];
const NAME = '[a-z][a-z0-9_-]{0,49}';

/** Returns null if the action is invalid, or could be mistaken for an action of Namewatch, such as `key.issued`. */
export function toExtensionAction(extension: string, action: string): ExtensionAction | null {
  const isValid = action.startsWith(`${extension}.`) && new RegExp(`^${NAME}\\.${NAME}$`).test(action);
  return isValid && !SUBJECTS.includes(extension) ? (action as ExtensionAction) : null;
}

/** Filters for Namewatch's own actions: an action, or `key.*` for all that begin with `key.`. */
export const AUDIT_ACTION_FILTERS: readonly string[] = [
  ...SUBJECTS.map((subject) => `${subject}.*`),
  ...AUDIT_ACTION_NAMES,
].sort();
export const OUR_SUBJECTS_PATTERN = `^(${SUBJECTS.join('|')})\\.`;
export const EXTENSION_ACTION_PATTERN = `^${NAME}\\.${NAME}$`;
export const EXTENSION_FILTER_PATTERN = `^${NAME}\\.(${NAME}|\\*)$`;

export function isAuditActionFilter(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  if (new RegExp(OUR_SUBJECTS_PATTERN).test(text)) return AUDIT_ACTION_FILTERS.includes(text);
  return new RegExp(EXTENSION_FILTER_PATTERN).test(text);
}
