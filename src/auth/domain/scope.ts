/** Permissions of a key. `admin` includes all others. */
export const SCOPES = [
  'domains:read',
  'watchlist:read',
  'watchlist:write',
  'notifications:read',
  'notifications:write',
  'admin',
] as const;
export type Scope = (typeof SCOPES)[number];

/** Default of a new key. */
export const READ_SCOPES: readonly Scope[] = ['domains:read', 'watchlist:read', 'notifications:read'];

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}

export function grants(held: readonly Scope[], needed: Scope): boolean {
  return held.includes('admin') || held.includes(needed);
}
