import type { ListedKey } from '../../../../clients/typescript/src/index.js';

export type Scope = ListedKey['scopes'][number];

const LABELS = {
  'domains:read': 'Check names, see registries',
  'watchlist:read': 'See the watchlist, its history and events',
  'watchlist:write': 'Add, change and remove names',
  'notifications:read': 'See channels and deliveries',
  'notifications:write': 'Add, change, test and replay channels',
  'audit:read': 'See the audit trail',
  admin: 'Everything, keys included',
} as const satisfies Readonly<Record<Scope, string>>;

export const SCOPES = Object.keys(LABELS) as readonly Scope[];

/** Returns the scopes that a key lacks. `admin` includes all scopes. */
export function lackingScopes(held: readonly string[]): readonly Scope[] {
  if (held.includes('admin')) return [];
  return SCOPES.filter((scope) => !held.includes(scope));
}

export function scopeLabel(scope: string): string {
  return (LABELS as Readonly<Record<string, string>>)[scope] ?? scope;
}
