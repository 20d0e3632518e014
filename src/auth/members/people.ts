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
         returning p.id, exists (select from members m where m.person_id = p.id) as "isMember"`,
};

/** Who has signed in, known by issuer and subject. */
@Injectable()
export class People {
  constructor(
    private readonly sqlClient: SqlClient,
    private readonly clock: Clock,
  ) {}

  /** @param _invitation what stands in the link of one, which the person accepts */
  async signIn(proven: ProvenPerson, _invitation: string | null): Promise<{ id: string; isMember: boolean }> {
    const { issuer, subject, name, email } = proven;
    const values = [newId('per'), issuer, subject, name, email, this.clock.now()];
    const [person] = await this.sqlClient.run<{ id: string; isMember: boolean }>(SIGN_IN, values);
    if (!person) throw new Error('a person was neither added nor found');
    return person;
  }
}
