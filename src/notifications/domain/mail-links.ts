/**
 * Links in mails, which act for whoever has them. A token tells nothing to others, cannot be guessed, does not expire by
 * itself, and is read without asking any table.
 */
export abstract class MailLinks {
  /** Where a channel's recipient ends its mail; null while people have no address of this service (PUBLIC_URL). */
  abstract toUnsubscribe(channelId: string): string | null;
  /** @returns the id of the channel; null for what is no token of ours */
  abstract channelOf(token: string): string | null;
  /** Where an address agrees to get mail. */
  abstract toConfirm(confirmationId: string): string;
  /** @returns the id of the confirmation; null for what is no token of ours */
  abstract confirmationOf(token: string): string | null;
}
