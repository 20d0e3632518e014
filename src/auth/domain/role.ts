import type { Scope, ScopeCatalogue } from './scope.js';

/**
 * A viewer reads everything except the audit trail. An editor also changes names and channels. An admin may do
 * everything.
 */
export const ROLES = ['viewer', 'editor', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export function scopesOf(role: Role, catalogue: ScopeCatalogue): readonly Scope[] {
  if (role === 'admin') return ['admin'];
  const writeScopes = catalogue.all.filter((scope: string) => scope.endsWith(':write'));
  return role === 'editor' ? [...catalogue.readScopes, ...writeScopes] : catalogue.readScopes;
}
