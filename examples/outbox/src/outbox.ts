import { Module } from 'namewatch/nest';
import { defineExtension } from 'namewatch';
import { CreateOutbox } from './create-outbox.migration.js';
import { MessageBus } from './message-bus.js';
import { OutboxData } from './outbox-data.js';
import { OutboxMessages } from './outbox-messages.js';
import { OutboxSettings } from './outbox-settings.js';
import { RecordChanges } from './record-changes.js';
import { SendOutbox } from './send-outbox.js';

@Module({ providers: [OutboxMessages, MessageBus] })
class OutboxModule {}

/** One message for each change, written in the transaction of the change and sent to a message bus afterwards. */
export default defineExtension({
  name: 'outbox',
  compatibility: '^1.0.0',
  settings: OutboxSettings,
  module: OutboxModule,
  migrations: [{ name: 'CreateOutbox', class: CreateOutbox }],
  subscribers: [RecordChanges],
  tasks: [SendOutbox],
  accountData: [OutboxData],
});
