/** One account's keys, all or unrevoked, each with its own index. */
const rowsOf = (which: string) => `
  select id, name, scopes, created_at as "createdAt", expires_at as "expiresAt", last_used_at as "lastUsedAt",
    revoked_at as "revokedAt", issued_by as "issuedBy"
  from api_keys where account_id = $1 ${which} order by id limit $2 offset $3`;
const countOf = (which: string) => `select count(*)::int as total from api_keys where account_id = $1 ${which}`;
const UNREVOKED = 'and revoked_at is null';

export const KEY_PAGES = {
  unrevoked: {
    page: { name: 'api_keys_page', text: rowsOf(UNREVOKED) },
    count: { name: 'api_keys_count', text: countOf(UNREVOKED) },
  },
  all: {
    page: { name: 'api_keys_page_all', text: rowsOf('') },
    count: { name: 'api_keys_count_all', text: countOf('') },
  },
};

/**
 * A revoked bootstrap key stays, or processes that start with it would issue it again; so does a key from before
 * issuers were recorded that may be one.
 */
export const PRUNE_KEYS = {
  name: 'api_keys_prune',
  text: `delete from api_keys where id = any(array(
           select id from api_keys
           where (revoked_at is not null or expires_at is not null) and least(revoked_at, expires_at) <= $1
             and issued_by is distinct from 'bootstrap' and not (issued_by is null and name = 'first')
           order by least(revoked_at, expires_at) limit $2))
         returning id`,
};
