import { CurrentAccount, RequiresScope } from 'namewatch';
import { EntityManager } from 'namewatch/mikro-orm';
import { Controller, Get } from 'namewatch/nest';
import { LedgerEntry } from './ledger-entry.js';

const PAGE_SIZE = 100;

@Controller('v1/x/ledger')
export class LedgerController {
  constructor(private readonly entities: EntityManager) {}

  /** The latest changes of the account's names, newest first. */
  @Get()
  @RequiresScope('ledger:read')
  async list(@CurrentAccount() { id: accountId }: { id: string }): Promise<{ data: LedgerEntry[] }> {
    const orderBy = { at: 'desc', eventId: 'desc' } as const;
    return { data: await this.entities.fork().find(LedgerEntry, { accountId }, { orderBy, limit: PAGE_SIZE }) };
  }
}
