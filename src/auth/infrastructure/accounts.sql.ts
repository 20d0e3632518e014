/** Newest last, as their ids are. */
export const ACCOUNTS_PAGE = {
  name: 'accounts_page',
  text: `select id, name, plan, created_at as "createdAt", suspended_at as "suspendedAt"
         from accounts order by id limit $1 offset $2`,
};
export const ACCOUNTS_COUNT = { name: 'accounts_count', text: `select count(*)::int as total from accounts` };

/** What is auth's own, or the platform's, of an account; the rest is deleted by the modules before. */
export const DELETE_OWNED_ROWS = [
  {
    name: 'account_remove_replies',
    text: `delete from idempotent_replies where scope = any(array(
             select scope from idempotent_replies where account_id = $1 limit $2)) returning scope`,
  },
  {
    name: 'account_remove_keys',
    text: `delete from api_keys where id = any(array(select id from api_keys where account_id = $1 limit $2)) returning id`,
  },
];
export const DELETE_ACCOUNT = { name: 'account_remove', text: `delete from accounts where id = $1` };
