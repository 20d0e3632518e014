import { AccountData } from 'namewatch';
import { EntityManager } from 'namewatch/mikro-orm';
import { Injectable } from 'namewatch/nest';
import { LedgerEntry } from './ledger-entry.js';

@Injectable()
export class LedgerData extends AccountData {
  readonly name = 'ledger entries';

  constructor(private readonly entities: EntityManager) {
    super();
  }

  async deleteBatch(accountId: string, limit: number): Promise<number> {
    const entities = this.entities.fork();
    const rows = await entities.find(LedgerEntry, { accountId }, { limit, fields: ['eventId'] });
    return entities.nativeDelete(LedgerEntry, { eventId: { $in: rows.map(({ eventId }) => eventId) } });
  }
}
