import { ChannelController, NotificationsController } from './channel-settings/channels.controller.js';
import { ConfirmController } from './channel-settings/confirm.controller.js';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { EventStreamController } from './events/event-stream.controller.js';
import { EventsController } from './events/events.controller.js';
import { SecretsController } from './channel-settings/secrets.controller.js';
import { UnsubscribeController } from './channel-settings/unsubscribe.controller.js';

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
