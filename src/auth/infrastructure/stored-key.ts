/** A key with its account's plan, for authentication: one row by its id. */
export const STORED_KEY = {
  name: 'api_key_stored',
  text: `select k.id, k.account_id as "accountId", a.plan, k.digest, k.scopes, k.expires_at as "expiresAt",
                k.last_used_at as "lastUsedAt", k.revoked_at as "revokedAt"
         from api_keys k join accounts a on a.id = k.account_id where k.id = $1`,
};
