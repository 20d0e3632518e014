import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Sealed with a master key that this process does not have. */
export class MasterKeyMissing extends Error {
  constructor(readonly keyId: string) {
    super(`the master key ${keyId} is needed to read what it sealed: add it to MASTER_KEY_PREVIOUS`);
  }
}

/** The text was altered, truncated, or sealed for another record. */
export class UnsealFailed extends Error {
  constructor(belongsTo: string, options?: ErrorOptions) {
    super(`the secret of ${belongsTo} does not open`, options);
  }
}

/**
 * Encrypts secrets with the master key (AES-256-GCM). A sealed text is `<key id>.<base64url of nonce, ciphertext and
 * tag>`. It opens only for the record it belongs to (AAD), so a secret copied to another row is useless.
 */
export class SecretBox {
  private readonly keys: ReadonlyMap<string, Buffer>;
  private readonly current: string;

  /** @param masterKeys base64 of 32 bytes each: the first seals, all open */
  constructor(masterKeys: readonly string[]) {
    const keys = masterKeys.map(decodeMasterKey);
    this.keys = new Map(keys.map((key) => [fingerprint(key), key]));
    const [first] = keys;
    if (!first) throw new Error('there is no master key to seal with');
    this.current = fingerprint(first);
  }

  get currentKeyId(): string {
    return this.current;
  }

  isCurrent(sealed: string): boolean {
    return sealed.startsWith(`${this.current}.`);
  }

  hasKey(keyId: string): boolean {
    return this.keys.has(keyId);
  }

  /** @param belongsTo names the record, for instance `channel nc_…` */
  seal(plaintext: string, belongsTo: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.key(this.current), nonce).setAAD(Buffer.from(belongsTo));
    const sealed = Buffer.concat([nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${this.current}.${sealed.toString('base64url')}`;
  }

  /** @throws MasterKeyMissing, UnsealFailed */
  open(sealed: string, belongsTo: string): string {
    const [keyId = '', encoded = ''] = sealed.split('.');
    const key = this.key(keyId);
    const bytes = Buffer.from(encoded, 'base64url');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new UnsealFailed(belongsTo);
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(belongsTo)).setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const plaintext = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([plaintext, decipher.final()]).toString('utf8');
    } catch (cause) {
      throw new UnsealFailed(belongsTo, { cause });
    }
  }

  /**
   * A blind index: keyed hashes (HMAC-SHA256) by which an equal text is found where only its seal is stored. One for each
   * master key, the current one's first.
   * @param purpose separates the hashes of different columns
   */
  hashes(text: string, purpose: string): readonly [string, ...string[]] {
    const [current, ...earlier] = [this.current, ...[...this.keys.keys()].filter((id) => id !== this.current)];
    return [this.hash(text, purpose, current ?? ''), ...earlier.map((id) => this.hash(text, purpose, id))];
  }

  private hash(text: string, purpose: string, keyId: string): string {
    const key = Buffer.from(hkdfSync('sha256', this.key(keyId), '', `hash of ${purpose}`, KEY_BYTES));
    return `${keyId}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  }

  private key(keyId: string): Buffer {
    const key = this.keys.get(keyId);
    if (!key) throw new MasterKeyMissing(keyId);
    return key;
  }
}

/** The first 8 hex digits of the key's SHA-256: identifies a key without revealing it. */
function fingerprint(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}

function decodeMasterKey(base64: string): Buffer {
  const key = Buffer.from(base64, 'base64');
  if (key.length !== KEY_BYTES) throw new Error('a master key is the base64 of 32 bytes');
  return key;
}
