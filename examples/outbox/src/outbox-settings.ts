import { anyText, extensionSettings, optional, required, setting, url, wholeNumber } from 'namewatch';

/** Where messages are sent, and how many may wait. */
export class OutboxSettings extends extensionSettings({
  url: required('OUTBOX_URL', url('http:', 'https:'), { about: 'Takes the messages of the message bus, by POST.' }),
  token: optional('OUTBOX_TOKEN', anyText, { about: 'Sent to it as a Bearer token.', isSecret: true }),
  keepHours: setting('OUTBOX_KEEP_HOURS', wholeNumber(1, 8_760), {
    default: 72,
    about: 'Messages that could not be sent for so long are dropped.',
  }),
  maxMessages: setting('OUTBOX_MAX_MESSAGES', wholeNumber(1, 10_000_000), {
    default: 100_000,
    about: 'When more messages wait, the oldest are dropped.',
  }),
}) {}
