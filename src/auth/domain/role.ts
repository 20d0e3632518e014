import type { Scope, ScopeCatalogue } from './scope.js';

/**
 * The roles of a member of an account. A viewer reads all but the audit trail; an editor changes names and channels
 * too; an admin may do everything, keys and members included.
 */
export const ROLES = ['viewer', 'editor', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export function scopesOf(role: Role, catalogue: ScopeCatalogue): readonly Scope[] {
  if (role === 'admin') return ['admin'];
  const writeScopes = catalogue.all.filter((scope: string) => scope.endsWith(':write'));
  return role === 'editor' ? [...catalogue.readScopes, ...writeScopes] : catalogue.readScopes;
}
