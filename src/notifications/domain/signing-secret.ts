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

  /** Keeps the secret out of logs and JSON. Use `text` to show it on purpose. */
  toJSON(): string {
    return `${PREFIX}…`;
  }
}
