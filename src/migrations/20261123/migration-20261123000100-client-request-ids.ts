import { Migration } from '@mikro-orm/migrations';

/** What the client called the request of a record, beside our own id, which nobody can choose. */
export class Migration20261123000100ClientRequestIds extends Migration {
  override up(): void {
    this.addSql(`alter table audit_records add column client_request_id text`);
  }
}
