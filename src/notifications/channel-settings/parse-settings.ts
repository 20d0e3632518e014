import { DomainError } from '../../kernel/domain-error.js';
import { type ChannelSender, describeSenderType } from '../domain/channel-sender.js';
import { type Target, TargetInvalid } from '../domain/target.js';
import { redactError } from '../domain/attempt.js';
import { CredentialInvalid, CredentialNotSupported } from '../domain/notifications.errors.js';

/** @throws TargetInvalid or TargetNotAllowed. Neither error contains the secret. */
export function parseTarget(sender: ChannelSender, text: string): Target {
  if (!sender.hasSecretTarget) return sender.parseTarget(text);
  return withoutSecret(
    text,
    () => sender.parseTarget(text),
    () => new TargetInvalid(`This is no target of a channel of type ${describeSenderType(sender.type)}.`),
  );
}

/**
 * @returns null for types that take no credential from the account
 * @throws CredentialInvalid, CredentialNotSupported or the sender's own DomainError. No error contains the secret.
 */
export function parseCredential(sender: ChannelSender, text: string | undefined): string | null {
  if (sender.secret !== 'account') {
    if (text === undefined) return null;
    throw new CredentialNotSupported(describeSenderType(sender.type));
  }
  if (text === undefined) throw new CredentialInvalid(`Channels of type ${sender.type} need a credential.`);
  return withoutSecret(
    text,
    () => sender.parseCredential(text),
    () => new CredentialInvalid(`This is no credential of a channel of type ${sender.type}.`),
  );
}

/** Replaces an error that repeats the secret, because errors are shown and logged. */
function withoutSecret<Parsed>(secret: string, parse: () => Parsed, replacement: () => DomainError): Parsed {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof DomainError)) throw redactError(error, [secret]);
    if (secret !== '' && `${error.message}${JSON.stringify(error.details)}`.includes(secret.trim()))
      throw replacement();
    throw error;
  }
}
