import { randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const BYTES = 32;

/** A symmetric key (Standard Webhooks 1.0): `whsec_` and the base64 of 32 random bytes. */
export class SigningSecret {
  private constructor(readonly text: string) {}

  static generate(): SigningSecret {
    return new SigningSecret(PREFIX + randomBytes(BYTES).toString('base64'));
  }

  static restore(text: string): SigningSecret {
    return new SigningSecret(text);
  }

  /** Keeps it out of logs and JSON; use `text` to show it on purpose. */
  toJSON(): string {
    return `${PREFIX}…`;
  }
}

/**
 * Encrypts secrets at rest, each bound to its channel: a sealed text does not open for another one. The account's own
 * headers are secrets too, since they often carry a token, and so are the targets and credentials of some types.
 */
export abstract class SecretCipher {
  abstract seal(secret: SigningSecret, channelId: string): string;
  abstract open(sealed: string, channelId: string): SigningSecret;
  abstract sealHeader(value: string, channelId: string): string;
  abstract openHeader(sealed: string, channelId: string): string;
  abstract sealTarget(target: string, channelId: string): string;
  abstract openTarget(sealed: string, channelId: string): string;
  abstract sealCredential(credential: string, channelId: string): string;
  abstract openCredential(sealed: string, channelId: string): string;
  /**
   * Keyed hashes by which an equal target is found without being stored: the current one first, then those of earlier
   * master keys.
   */
  abstract hashTarget(target: string): readonly [string, ...string[]];
}
