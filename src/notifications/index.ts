/** For extensions: what a sender for another type of channel needs. */
export { accepted, failed, type AttemptOutcome } from './domain/deliveries/attempt.js';
export {
  type ChannelSecret,
  ChannelSender,
  ChannelSenderRegistry,
  EXTENSION_CHANNEL_SENDERS,
  type Message,
} from './domain/channels/channel-sender.js';
export type { ChannelDisabled } from './domain/channels/channel-events.js';
export { missingSecretKeys } from './channels/secret-box-cipher.js';
export { CredentialInvalid } from './domain/notifications.errors.js';
export {
  GuardedHttp,
  type HttpFailure,
  type HttpPost,
  type HttpReply,
  type HttpRequest,
  type HttpResult,
} from './domain/channels/guarded-http.js';
export { UndiciGuardedHttp } from './channels/undici-guarded-http.js';
export { HttpChannelSender } from './channels/http-channel-sender.js';
export { RetrySchedule } from './domain/deliveries/retry-schedule.js';
export { TargetInvalid, TargetNotAllowed, type Target } from './domain/channels/target.js';
export { describeEvent, type EventDescription } from './domain/events/describe-event.js';
/** For the contract suite. */
export { sendMessage } from './deliveries/send-message.js';
export { isGone } from './domain/deliveries/attempt.js';
export { toSecretParts } from './domain/deliveries/redact-secrets.js';
export { EXAMPLE_EVENTS } from './events/event-examples.js';
export { maskTarget } from './domain/channels/target.js';
export { WebhookGuard } from './channels/webhook-guard.js';
export { SelfAddressGuard } from './channels/self-address-guard.js';
/** For tools that help to develop a receiver. */
export { EVENT_FILTERS, matchesFilter } from './domain/events/event-type.js';
export { SigningSecret } from './domain/channels/signing-secret.js';
export { webhookHeaders } from './channels/webhook-headers.js';
