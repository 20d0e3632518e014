import { randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const BYTES = 32;

/** What a receiver checks our signature with (Standard Webhooks 1.0): `whsec_` and the base64 of 32 random bytes. */
export class SigningSecret {
  private constructor(readonly text: string) {}

  static generate(): SigningSecret {
    return new SigningSecret(PREFIX + randomBytes(BYTES).toString('base64'));
  }

  /** For one that was stored. */
  static restore(text: string): SigningSecret {
    return new SigningSecret(text);
  }

  /** Logs and JSON never show it by accident; whoever may show it says `text`. */
  toJSON(): string {
    return `${PREFIX}…`;
  }
}

/**
 * Keeps secrets unreadable at rest, each bound to its channel: a sealed text that was moved does not open. Headers of
 * an account's choice are secrets too, since they are how receivers are told a token.
 */
export abstract class SecretCipher {
  abstract seal(secret: SigningSecret, channelId: string): string;
  abstract open(sealed: string, channelId: string): SigningSecret;
  abstract sealHeader(value: string, channelId: string): string;
  abstract openHeader(sealed: string, channelId: string): string;
}
