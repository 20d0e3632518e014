import { Injectable } from '@nestjs/common';
import { DomainName } from '../../domains/language.js';
import { Statements } from '../../platform/database/sql-client.js';
import { type Floors, PlanFloors, type UnheldEntry } from '../domain/plan-floors.js';

const AT_A_TIME = 500;

/** Longer than a key is believed to be of its former plan, and longer than a file of names takes. */
const SETTLING = '15 minutes';
const UNSETTLED = `unsettled as (
  select a.id, floor.minutes
  from accounts a left join jsonb_to_recordset($1::jsonb) as f(plan text, minutes int) on f.plan = a.plan
    cross join lateral (select coalesce(f.minutes, $2::int) as minutes) as floor
    left join plan_floors p on p.account_id = a.id
  where p.minutes is distinct from floor.minutes or p.applied_at > now() - interval '${SETTLING}')`;
/** The rule of WatchEntry.holdTo. */
const IS_UNHELD = `e.plan_floor_minutes <> case when u.minutes > e.interval_minutes then u.minutes else 0 end`;

/** Each account's entries by their index, and none where no plan changed; as a join it would read all entries there are. */
const UNHELD = {
  name: 'plan_floors_unheld',
  text: `with ${UNSETTLED}
         select u.id as "accountId", unheld.id, unheld.domain, u.minutes as "floorMinutes"
         from unsettled u cross join lateral (
           select e.id, e.domain from watch_entries e
           where e.account_id = u.id and ${IS_UNHELD} and (u.id > $3 or e.domain > $4)
           order by e.domain limit ${AT_A_TIME}) as unheld
         where u.id >= $3
         order by u.id, unheld.domain limit ${AT_A_TIME}`,
};
/** In one order, or two schedulers might wait for each other. */
const SETTLE = {
  name: 'plan_floors_settle',
  text: `with ${UNSETTLED}
         insert into plan_floors as p (account_id, minutes, applied_at)
         select u.id, u.minutes, now() from unsettled u left join lateral (
           select e.id from watch_entries e where e.account_id = u.id and ${IS_UNHELD} limit 1) as unheld on true
         where unheld.id is null
         order by u.id
         on conflict (account_id) do update set minutes = excluded.minutes, applied_at = excluded.applied_at
           where p.minutes <> excluded.minutes`,
};

type Stored = Omit<UnheldEntry, 'domain'> & { readonly domain: string };

@Injectable()
export class SqlPlanFloors extends PlanFloors {
  constructor(private readonly statements: Statements) {
    super();
  }

  async unheld(floors: Floors, last: UnheldEntry | null): Promise<readonly UnheldEntry[]> {
    const from = [last?.accountId ?? '', last?.domain.ascii ?? ''];
    const rows = await this.statements.run<Stored>(UNHELD, [...bound(floors), ...from]);
    return rows.map((row) => ({ ...row, domain: DomainName.restore(row.domain) }));
  }

  async settle(floors: Floors): Promise<void> {
    await this.statements.run(SETTLE, bound(floors));
  }
}

function bound({ byPlan, otherwise }: Floors): unknown[] {
  return [JSON.stringify([...byPlan].map(([plan, minutes]) => ({ plan, minutes }))), otherwise];
}
