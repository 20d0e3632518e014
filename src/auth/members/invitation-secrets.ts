import { Injectable } from '@nestjs/common';
import { newId } from '../../kernel/identifier.js';
import { SecretBox } from '../../platform/crypto/secret-box.js';
import { type SecretToken, verifySecretToken } from '../../platform/crypto/secret-token.js';

/**
 * Derives the secret in an invitation's link from the invitation's id and a master key. Only the secret's digest is
 * stored, so the process that mails the link derives the secret again.
 */
@Injectable()
export class InvitationSecrets {
  constructor(private readonly box: SecretBox) {}

  newToken(): SecretToken {
    const id = newId('inv');
    return { id, secret: this.secretOf(id) };
  }

  /**
   * Derives the secret of an invitation again.
   * @returns null if the secret does not fit the digest, because it was derived with another master key
   */
  find(id: string, digest: string): SecretToken | null {
    const token = { id, secret: this.secretOf(id) };
    return verifySecretToken({ digest }, token) ? token : null;
  }

  private secretOf(id: string): string {
    const hash = this.box.hash(id, 'the link of an invitation');
    return hash.slice(hash.indexOf('.') + 1);
  }
}
