import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/identifier.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import type { ProvenPerson } from '../domain/proven-person.js';

/** Two sign-ins of one person at the same time make one row. */
const SIGN_IN = {
  name: 'person_sign_in',
  text: `insert into people as p (id, issuer, subject, name, email, created_at, signed_in_at)
         values ($1, $2, $3, $4, $5, $6, $6)
         on conflict (issuer, subject)
         do update set name = excluded.name, email = excluded.email, signed_in_at = excluded.signed_in_at
         returning p.id, (select m.account_id from members m where m.person_id = p.id
                          order by m.added_at, m.account_id limit 1) as "accountId"`,
};

interface SignedIn {
  readonly id: string;
  readonly accountId: string | null;
}

/** Who has signed in, known by issuer and subject. */
@Injectable()
export class People {
  constructor(
    private readonly sqlClient: SqlClient,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns with the account that the person came to first; null: the person is a member of none
   * @param _invitation what stands in the link of one, which the person accepts
   */
  async signIn(proven: ProvenPerson, _invitation: string | null): Promise<SignedIn> {
    const { issuer, subject, name, email } = proven;
    const values = [newId('per'), issuer, subject, name, email, this.clock.now()];
    const [person] = await this.sqlClient.run<SignedIn>(SIGN_IN, values);
    if (!person) throw new Error('a person was neither added nor found');
    return person;
  }
}
