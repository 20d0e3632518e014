/** What others may use of this module: the words and the registry for a further type of channel. */
export { accepted, failed, type AttemptOutcome } from './domain/attempt.js';
export { ChannelSender, ChannelSenders, type Message } from './domain/channel-sender.js';
export { missingSecretKeys } from './infrastructure/sealed-secrets.js';
export { RetrySchedule } from './domain/retry-schedule.js';
export { TargetInvalid, TargetNotAllowed, type Target } from './domain/target.js';
export { withEventContract } from './event-contract.js';
/** What a webhook gets, for those who develop a receiver. */
export { EVENT_FILTERS, passes } from './domain/event-type.js';
export { SigningSecret } from './domain/signing-secret.js';
export { webhookHeaders } from './infrastructure/webhook-headers.js';
