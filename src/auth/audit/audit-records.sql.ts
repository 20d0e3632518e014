import { HORIZON } from '../../platform/database/transaction-order.js';

const COLUMNS = `r.id, r.xid::text, r.seq::text, r.occurred_at as "occurredAt", r.account_id as "accountId", r.action,
  r.actor_type as "actorType", r.actor_id as "actorId", r.actor_name as "actorName", r.target_id as "targetId",
  r.address, r.request_id as "requestId", r.client_request_id as "clientRequestId", r.user_agent as "userAgent", r.state_before as "before",
  r.state_after as "after"`;

/** `$1` action, `$2` what actions begin with, `$3` actor, `$4` since, `$5` until, `$6` target, `$7` request */
const FILTER = `($1::text is null or r.action = $1) and ($2::text is null or starts_with(r.action, $2))
  and ($3::text is null or r.actor_id = $3 or r.actor_type = $3)
  and ($4::timestamptz is null or r.occurred_at >= $4) and ($5::timestamptz is null or r.occurred_at < $5)
  and ($6::text is null or r.target_id = $6) and ($7::text is null or r.request_id = $7)`;

/** `r.xid`, since a bare `xid` would order by the selected text, where 1000 comes before 999. */
export const AUDIT_PAGE = {
  name: 'audit_records_page',
  text: `select ${COLUMNS} from audit_records r
         where r.account_id = $8 and (r.xid, r.seq) > ($9::xid8, $10::bigint) and r.xid < ${HORIZON} and ${FILTER}
         order by r.xid, r.seq limit $11`,
};

export const LATEST_OF_ACCOUNT = {
  name: 'audit_records_latest_of_account',
  text: `select ${COLUMNS} from audit_records r where r.account_id = $8 and ${FILTER}
         order by r.xid desc, r.seq desc limit $9`,
};
export const LATEST_OF_ALL = {
  name: 'audit_records_latest',
  text: `select ${COLUMNS} from audit_records r where ${FILTER} order by r.xid desc, r.seq desc limit $8`,
};

export const AUDIT_END = {
  name: 'audit_records_end',
  text: `select r.xid::text, r.seq::text from audit_records r where r.account_id = $1 and r.xid < ${HORIZON}
         order by r.xid desc, r.seq desc limit 1`,
};

export const PURGE_AUDIT = { name: 'audit_records_purge', text: `select purge_audit_records($1, $2, $3) as deleted` };
export const DELETE_AUDIT_OF_ACCOUNT = {
  name: 'account_remove_audit_records',
  text: `select delete_audit_records_of($1, $2) as deleted`,
};
