import { EntitySchema } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject } from '@nestjs/common';
import { defineExtension, EventSubscriber } from 'namewatch';

/** An extension for processes of their own; SLOW_LEDGER_SECONDS makes it hold the transaction after its row. */
class Row {}

const schema = new EntitySchema({
  class: Row,
  tableName: 'slow_ledger_rows',
  properties: { id: { type: 'text', primary: true }, domain: { type: 'text' } },
});

class CreateRows extends Migration {
  up() {
    this.addSql('create table slow_ledger_rows (id text primary key, domain text not null)');
  }
}

class RecordDrops extends EventSubscriber {
  filters = ['watchlist.available'];

  constructor(entities) {
    super();
    this.entities = entities;
  }

  async handle(events) {
    await this.entities.insertMany(
      Row,
      events.map(({ id, payload }) => ({ id, domain: payload.domain })),
    );
    const seconds = Number(process.env.SLOW_LEDGER_SECONDS ?? 0);
    if (seconds > 0) await this.entities.execute('select pg_sleep(?)', [seconds]);
  }
}
Inject(EntityManager)(RecordDrops, undefined, 0);

export default defineExtension({
  name: 'slow-ledger',
  compatibility: '*',
  entities: [schema],
  migrations: [{ name: 'CreateRows', class: CreateRows }],
  subscribers: [RecordDrops],
});
