import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export class OtherKeyNeeded extends Error {
  constructor(readonly keyId: string) {
    super(`it is sealed with the key ${keyId}, which this process does not have`);
  }
}

/** The text was altered, truncated, or sealed for another record. */
export class UnsealFailed extends Error {
  constructor(belongsTo: string, options?: ErrorOptions) {
    super(`the secret of ${belongsTo} does not open`, options);
  }
}

/**
 * Encrypts secrets (AES-256-GCM). The record is additional data (AAD) of the cipher, so a sealed text does not open in
 * another row.
 */
export class SecretBox {
  /** The first 8 hex digits of the key's SHA-256. They identify the key without revealing it. */
  readonly keyId: string;
  private readonly key: Buffer;

  /** @param key base64 of 32 bytes */
  constructor(key: string) {
    this.key = Buffer.from(key, 'base64');
    if (this.key.length !== KEY_BYTES) throw new Error('a key is the base64 of 32 bytes');
    this.keyId = createHash('sha256').update(this.key).digest('hex').slice(0, 8);
  }

  static generateKey(): string {
    return randomBytes(KEY_BYTES).toString('base64');
  }

  /** @param belongsTo names the record, for instance `channel nc_…` */
  seal(plaintext: string, belongsTo: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, nonce).setAAD(Buffer.from(belongsTo));
    const sealed = Buffer.concat([nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${this.keyId}.${sealed.toString('base64url')}`;
  }

  /**
   * @throws OtherKeyNeeded if another key sealed the text, UnsealFailed if the text was altered or is of another record
   */
  open(sealed: string, belongsTo: string): string {
    const [keyId = '', encoded = ''] = sealed.split('.');
    if (keyId !== this.keyId) throw new OtherKeyNeeded(keyId);
    const bytes = Buffer.from(encoded, 'base64url');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new UnsealFailed(belongsTo);
    const decipher = createDecipheriv(CIPHER, this.key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(belongsTo)).setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const plaintext = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([plaintext, decipher.final()]).toString('utf8');
    } catch (cause) {
      throw new UnsealFailed(belongsTo, { cause });
    }
  }

  /**
   * Returns an HMAC-SHA256 of the text, to find a row that has the text only encrypted.
   * @param purpose separates the hashes of different columns
   */
  hash(text: string, purpose: string): string {
    const digest = createHmac('sha256', this.derive(`hash of ${purpose}`))
      .update(text)
      .digest('base64url');
    return `${this.keyId}.${digest}`;
  }

  /** A derived key does not reveal this key or other derived keys. */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.key, '', purpose, KEY_BYTES));
  }
}
