import { defineExtension } from 'namewatch';
import { CreateDrops } from './create-drops.migration.js';
import { DropData } from './drop-data.js';
import { dropSchema } from './drop.js';
import { RecordDrops } from './record-drops.js';

export default defineExtension({
  name: 'my-extension',
  compatibility: '^1.0.0',
  entities: [dropSchema],
  migrations: [{ name: 'CreateDrops', class: CreateDrops }],
  subscribers: [RecordDrops],
  accountData: [DropData],
});
