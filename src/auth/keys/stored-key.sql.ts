/** For authentication. */
export const STORED_KEYS = {
  name: 'api_keys_stored',
  text: `select k.id, k.account_id as "accountId", a.plan,
                a.suspended_at is not null as "isSuspended", k.digest, k.scopes, k.expires_at as "expiresAt",
                k.last_used_at as "lastUsedAt", k.revoked_at as "revokedAt"
         from api_keys k join accounts a on a.id = k.account_id where k.id = any($1)`,
};
