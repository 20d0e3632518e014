import { AccountData } from 'namewatch';
import { EntityManager } from 'namewatch/mikro-orm';
import { Injectable } from 'namewatch/nest';
import { Drop } from './drop.js';

/** Deletes the rows of an account with it. */
@Injectable()
export class DropData extends AccountData {
  readonly name = 'drops';

  constructor(private readonly entities: EntityManager) {
    super();
  }

  async deleteBatch(accountId: string, limit: number): Promise<number> {
    const entities = this.entities.fork();
    const rows = await entities.find(Drop, { accountId }, { limit, fields: ['eventId'] });
    return entities.nativeDelete(Drop, { eventId: { $in: rows.map(({ eventId }) => eventId) } });
  }
}
