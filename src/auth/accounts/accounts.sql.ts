/** For authentication. */
export const ACCOUNT_STATES = {
  name: 'accounts_states',
  text: `select id, plan, suspended_at is not null as "isSuspended" from accounts where id = any($1)`,
};

/** Ids sort by creation time. */
export const ACCOUNTS_PAGE = {
  name: 'accounts_page',
  text: `select id, name, plan, created_at as "createdAt", suspended_at as "suspendedAt"
         from accounts order by id limit $1 offset $2`,
};
export const ACCOUNTS_COUNT = { name: 'accounts_count', text: `select count(*)::int as total from accounts` };

export const NOTE_DELETION_PROGRESS = {
  name: 'account_deletion_note_progress',
  text: `update accounts set deletion_advanced_at = now() where id = $1`,
};
export const TAKE_ABANDONED_DELETION = {
  name: 'account_deletion_take_abandoned',
  text: `update accounts set deletion_advanced_at = now() where id = (
           select id from accounts where deletion_started_at is not null
             and coalesce(deletion_advanced_at, deletion_started_at) < now() - make_interval(secs => $1)
           order by id limit 1 for update skip locked)
         returning id`,
};

/** Rows of auth and the platform; other modules delete theirs first. */
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
