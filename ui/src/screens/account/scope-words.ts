import type { ListedKey } from '../../../../clients/typescript/src/index.js';

export type Scope = ListedKey['scopes'][number];

/** What each scope allows. */
export const SCOPES: readonly { readonly scope: Scope; readonly label: string }[] = [
  { scope: 'domains:read', label: 'Check names, see registries' },
  { scope: 'watchlist:read', label: 'See the watchlist, its history and events' },
  { scope: 'watchlist:write', label: 'Add, change and remove names' },
  { scope: 'notifications:read', label: 'See channels and deliveries' },
  { scope: 'notifications:write', label: 'Add, change, test and replay channels' },
  { scope: 'audit:read', label: 'See the audit trail' },
  { scope: 'admin', label: 'Everything, keys included' },
];

/** The scopes that a key lacks; `admin` includes all of them. */
export function lackingScopes(held: readonly string[]): readonly Scope[] {
  if (held.includes('admin')) return [];
  return SCOPES.map(({ scope }) => scope).filter((scope) => !held.includes(scope));
}

export function scopeLabel(scope: string): string {
  return SCOPES.find((one) => one.scope === scope)?.label ?? scope;
}
