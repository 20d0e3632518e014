import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';

interface PlanMinimums {
  readonly byPlan: ReadonlyMap<string, number>;
  readonly fallback: number;
}

/** An account whose minimum interval or suspension has changed since its names were last scheduled. */
export interface AccountToFollow {
  readonly id: string;
  readonly minimumMinutes: number;
  readonly isSuspended: boolean;
  readonly isResumed: boolean;
}

const PLANS = `jsonb_to_recordset($1::jsonb) as plan(name text, minutes int) on plan.name = a.plan`;
const MINIMUM = 'coalesce(plan.minutes, $2::int)';
/** Adds accounts. `scheduled` is false, so that the account's names are scheduled by its current plan. */
const NOTE_NEW = {
  name: 'followed_accounts_note_new',
  text: `insert into followed_accounts (account_id, minimum_minutes, scheduled)
         select a.id, ${MINIMUM}, false from accounts a left join ${PLANS}
         where not exists (select from followed_accounts f where f.account_id = a.id) order by a.id
         on conflict do nothing`,
};
/** Stores minimum intervals that changed. `scheduled` stays false until the account's names are rescheduled. */
const NOTE_MINIMUMS = {
  name: 'followed_accounts_note_minimums',
  text: `update followed_accounts f set minimum_minutes = ${MINIMUM}, scheduled = false
         from accounts a left join ${PLANS} where a.id = f.account_id and f.minimum_minutes <> ${MINIMUM}`,
};
/** Skips accounts in deletion, because their entries will be deleted. */
const SELECT_TO_FOLLOW = {
  name: 'followed_accounts_to_follow',
  text: `select a.id, f.minimum_minutes as "minimumMinutes", a.suspended_at is not null as "isSuspended",
           a.suspended_at is null and f.suspended as "isResumed"
         from followed_accounts f join accounts a on a.id = f.account_id
         where a.deletion_started_at is null and (not f.scheduled or f.suspended <> (a.suspended_at is not null))
         order by a.id`,
};
const NOTE_FOLLOWED = {
  name: 'followed_accounts_note_followed',
  text: `update followed_accounts set suspended = $3, scheduled = true where account_id = $1 and minimum_minutes = $2`,
};

/**
 * Stores each account's minimum interval, and whether its names must be rescheduled after a change of plan or
 * suspension.
 */
@Injectable()
export class FollowedAccountRepository {
  constructor(private readonly statements: SqlClient) {}

  async findToFollow({ byPlan, fallback }: PlanMinimums): Promise<readonly AccountToFollow[]> {
    const plans = JSON.stringify([...byPlan].map(([name, minutes]) => ({ name, minutes })));
    for (const statement of [NOTE_NEW, NOTE_MINIMUMS]) await this.statements.run(statement, [plans, fallback]);
    return this.statements.run<AccountToFollow>(SELECT_TO_FOLLOW, []);
  }

  async noteFollowed({ id, minimumMinutes, isSuspended }: AccountToFollow): Promise<void> {
    await this.statements.run(NOTE_FOLLOWED, [id, minimumMinutes, isSuspended]);
  }
}
