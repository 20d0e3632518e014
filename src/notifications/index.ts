/** Exports that an extension needs to add a type of channel. */
export { accepted, failed, type AttemptOutcome, type Outcome } from './domain/attempt.js';
export {
  type Bundle,
  CHANNEL_TYPE,
  type ChannelSecret,
  ChannelSender,
  ChannelSenderRegistry,
  EXTENSION_CHANNEL_SENDERS,
  type Message,
} from './domain/channel-sender.js';
export type { ChannelDisabled } from './domain/channel-events.js';
export { CredentialInvalid } from './domain/notifications.errors.js';
export type { HttpFailure, ChannelHttpRequest, HttpReply, HttpRequest, HttpResult } from './domain/http-exchange.js';
export { GuardedHttp } from './channels/guarded-http.js';
export { HttpChannelSender } from './channels/http-channel-sender.js';
export { RetrySchedule } from './domain/retry-schedule.js';
export { TargetInvalid, TargetNotAllowed, type Target } from './domain/target.js';
export { describeEvent, type EventDescription, type EventText } from './domain/event-text.js';
/** Exports for the contract tests of senders. */
export { sendMessage } from './deliveries/send-message.js';
export { toSecretParts, whyGone } from './domain/attempt.js';
export { EXAMPLE_EVENTS } from './events/event-examples.js';
export { maskTarget } from './domain/target.js';
export { WebhookGuard } from './channels/webhook-guard.js';
/** Exports for tools that help to develop a receiver. */
export { EVENT_FILTERS, matchesFilter } from './domain/event-type.js';
export { SigningSecret } from './domain/signing-secret.js';
export { webhookHeaders } from './channels/webhook-sender.js';
