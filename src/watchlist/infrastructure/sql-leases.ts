import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { Config } from '../../config.js';
import { Statements } from '../../platform/statements.js';
import { type Lease, Leases } from '../domain/leases.js';

/**
 * Insert into a narrow table: it costs the same whatever the number of names, while lease columns on the wide row
 * cost more the more names there are. A lease that ran out is taken over; one that runs is left alone, also by
 * another scheduler that claims in the same moment.
 */
const CLAIM = {
  name: 'lease_claim_due',
  text: `insert into leases as l (domain, token, until)
         select n.domain, gen_random_uuid(), now() + make_interval(secs => $3)
         from watched_names n
         where n.next_check_at <= $1
           and not exists (select from leases h where h.domain = n.domain and h.until > now())
         order by n.next_check_at, n.domain
         limit greatest(0, $2 - (select count(*) from leases u where u.until > now()))
         on conflict (domain) do update set token = excluded.token, until = excluded.until where l.until <= now()
         returning domain as name, token`,
};
const RENEW = {
  name: 'lease_renew',
  text: `update leases set until = now() + make_interval(secs => $3)
         where domain = $1 and token = $2 and until > now() returning domain`,
};
const GIVE_BACK = {
  name: 'lease_give_back',
  text: `delete from leases l using jsonb_to_recordset($1::jsonb) as g(name text, token uuid)
         where l.domain = g.name and l.token = g.token`,
};

@Injectable()
export class SqlLeases extends Leases {
  constructor(
    private readonly statements: Statements,
    private readonly entities: EntityManager,
    private readonly config: Config,
  ) {
    super();
  }

  claimDue(now: Date, limit: number): Promise<Lease[]> {
    return this.statements.run<Lease>(CLAIM, [now, limit, this.config.leaseSeconds]);
  }

  async renew({ name, token }: Lease): Promise<boolean> {
    return (await this.statements.run(RENEW, [name, token, this.config.leaseSeconds])).length > 0;
  }

  async end(lease: Lease): Promise<boolean> {
    const ended = await sql`
      delete from leases where domain = ${lease.name} and token = ${lease.token} and until > now()
      returning domain`.execute(this.entities.getKysely());
    return ended.rows.length > 0;
  }

  async giveBack(leases: readonly Lease[]): Promise<void> {
    await this.statements.run(GIVE_BACK, [JSON.stringify(leases)]);
  }
}
