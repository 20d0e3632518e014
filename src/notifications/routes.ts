import { NotificationsController } from './channel-settings/channels.controller.js';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { DeliveryDaysController } from './deliveries/delivery-days.controller.js';
import { EventsController } from './events/events.controller.js';
import { ConfirmController, UnsubscribeController } from './channel-settings/mail-links.controller.js';

export const controllers = [
  NotificationsController,
  DeliveriesController,
  DeliveryDaysController,
  EventsController,
  UnsubscribeController,
  ConfirmController,
];
