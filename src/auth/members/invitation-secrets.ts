import { Injectable } from '@nestjs/common';
import { SecretsConfig } from '../../config/sections.js';
import { newId } from '../../kernel/identifier.js';
import { SecretBox } from '../../platform/crypto/secret-box.js';
import { type SecretToken, verifySecretToken } from '../../platform/crypto/secret-token.js';

/**
 * The secrets in the links of invitations. A master key makes each from the id, so that a link can be mailed later
 * although only the digest of its secret is stored.
 */
@Injectable()
export class InvitationSecrets {
  private readonly box: SecretBox;

  constructor({ masterKeys }: SecretsConfig) {
    this.box = new SecretBox(masterKeys);
  }

  newToken(): SecretToken {
    const id = newId('inv');
    return { id, secret: this.secretsOf(id)[0] };
  }

  /** @returns null when no master key that is known makes a secret of this digest */
  find(id: string, digest: string): SecretToken | null {
    const tokens = this.secretsOf(id).map((secret) => ({ id, secret }));
    return tokens.find((token) => verifySecretToken({ digest }, token)) ?? null;
  }

  /** By the current master key first, then by those before. */
  private secretsOf(id: string): readonly [string, ...string[]] {
    const [current, ...earlier] = this.box.hashes(id, 'the link of an invitation');
    const withoutKeyId = (hash: string) => hash.slice(hash.indexOf('.') + 1);
    return [withoutKeyId(current), ...earlier.map(withoutKeyId)];
  }
}
