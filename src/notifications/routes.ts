import { ChannelController } from './channels/channel.controller.js';
import { ConfirmController } from './channels/confirm.controller.js';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { EventStreamController } from './events/event-stream.controller.js';
import { EventsController } from './events/events.controller.js';
import { NotificationsController } from './channels/channels.controller.js';
import { SecretsController } from './channels/secrets.controller.js';
import { UnsubscribeController } from './email/unsubscribe.controller.js';

export const controllers = [
  NotificationsController,
  ChannelController,
  SecretsController,
  DeliveriesController,
  EventsController,
  EventStreamController,
  UnsubscribeController,
  ConfirmController,
];
