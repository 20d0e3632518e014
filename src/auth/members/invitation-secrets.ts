import { Injectable } from '@nestjs/common';
import { newId } from '../../kernel/identifier.js';
import { SecretBox } from '../../platform/crypto/secret-box.js';
import { type SecretToken, verifySecretToken } from '../../platform/crypto/secret-token.js';

/**
 * Derives the secret of an invitation's link from the invitation's id and the data key. A mail is sent later and needs
 * the secret, but only the secret's digest is stored.
 */
@Injectable()
export class InvitationSecrets {
  constructor(private readonly box: SecretBox) {}

  newToken(): SecretToken {
    const id = newId('inv');
    return { id, secret: this.secretOf(id) };
  }

  /** @returns null if the invitation's secret was derived with another data key */
  find(id: string, digest: string): SecretToken | null {
    const token = { id, secret: this.secretOf(id) };
    return verifySecretToken({ digest }, token) ? token : null;
  }

  private secretOf(id: string): string {
    const hash = this.box.hash(id, 'the link of an invitation');
    return hash.slice(hash.indexOf('.') + 1);
  }
}
