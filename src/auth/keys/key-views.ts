import type { ListedKey } from '../domain/api-key.js';
import type { KeyView, ListedKeyView } from './keys.dto.js';

export function toKeyView({
  id,
  name,
  scopes,
  expiresAt,
  createdAt,
}: Omit<ListedKey, 'lastUsedAt' | 'revokedAt'>): KeyView {
  const expires_at = expiresAt?.toISOString() ?? null;
  return { id, name, scopes, expires_at, created_at: createdAt.toISOString() };
}

export function toListedKeyView(key: ListedKey): ListedKeyView {
  return { ...toKeyView(key), last_used_at: key.lastUsedAt?.toISOString() ?? null, issued_by: key.issuedBy };
}
