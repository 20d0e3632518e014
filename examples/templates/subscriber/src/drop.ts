import { EntitySchema } from 'namewatch/mikro-orm';

/** A watched name that became available. */
export class Drop {
  /** The id of the event, so that one that comes twice leaves one row. */
  eventId: string;
  accountId: string;
  domain: string;
  at: Date;
}

export const dropSchema = new EntitySchema<Drop>({
  class: Drop,
  tableName: 'my_extension_drops',
  properties: {
    eventId: { type: 'text', primary: true },
    accountId: { type: 'text' },
    domain: { type: 'text' },
    at: { type: 'timestamptz' },
  },
});
