import { Injectable } from 'namewatch/nest';
import { AccountData } from 'namewatch';
import { OutboxMessages } from './outbox-messages.js';

@Injectable()
export class OutboxData extends AccountData {
  readonly name = 'outbox messages';

  constructor(private readonly messages: OutboxMessages) {
    super();
  }

  deleteBatch(accountId: string, limit: number): Promise<number> {
    return this.messages.removeOfAccount(accountId, limit);
  }
}
