import { Sessions } from '../../../src/auth/sessions/sessions.js';
import type { TestService } from './test-service.js';

/** The dashboard sends these with each request of its own. */
export const OWN = { 'sec-fetch-site': 'same-origin', 'x-requested-with': 'namewatch' };

let count = 0;

/** Somebody whom a provider knows, and who came to accounts in the order in which they are named. */
export class Person {
  readonly id = `per_${String((count += 1)).padStart(26, '0')}`;
  private joined = 0;

  private constructor(private readonly service: TestService) {}

  static async of(service: TestService, roles: Readonly<Record<string, string>>): Promise<Person> {
    const person = new Person(service);
    await service.query(
      `insert into people (id, issuer, subject, name, email, created_at, signed_in_at)
       values ($1, 'https://login.example', $1, 'Ann', null, now(), now())`,
      [person.id],
    );
    for (const [accountId, role] of Object.entries(roles)) await person.join(accountId, role);
    return person;
  }

  async join(accountId: string, role: string): Promise<void> {
    await this.service.query(
      `insert into members (account_id, person_id, role, added_by, added_at)
       values ($1, $2, $3, 'invitation', now() + $4::int * interval '1 second')`,
      [accountId, this.id, role, (this.joined += 1)],
    );
  }

  async leave(accountId: string): Promise<void> {
    await this.service.query('delete from members where account_id = $1 and person_id = $2', [accountId, this.id]);
  }

  async becomes(role: string, accountId: string): Promise<void> {
    const change = 'update members set role = $1 where account_id = $2 and person_id = $3';
    await this.service.query(change, [role, accountId, this.id]);
  }

  /** Signs in, in a browser of its own. @returns the cookie of it */
  async signIn(accountId: string): Promise<string> {
    const request = { ip: '127.0.0.1', headers: {}, protocol: 'http', host: 'localhost', server: { basePath: '' } };
    const actor = { type: 'person', id: this.id, name: 'Ann' } as const;
    const signingIn = { owner: { personId: this.id }, actor, accountId };
    const { cookie } = await this.service.get(Sessions).start(signingIn, request as never);
    return cookie.replace(/;.*/, '');
  }
}
