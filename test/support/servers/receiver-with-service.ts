import { WebhookReceiver } from '../fakes/webhook-receiver.js';
import { NotificationService } from './notification-service.js';

/** A receiver on loopback, and a service that may reach it and trusts its certificate. */
export async function startReceiverWithService() {
  const receiver = await WebhookReceiver.startTrusted();
  const notifications = await NotificationService.start(receiver.settings);
  const close = async () => {
    await notifications.close();
    await receiver.close();
  };
  return { receiver, notifications, close };
}
