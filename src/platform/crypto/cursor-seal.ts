import { createCipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CursorMalformed, TransactionCursor } from '../../kernel/paging/transaction-cursor.js';
import { SecretBox } from './secret-box.js';

const CIPHER = 'aes-256-ctr';
const TAG_BYTES = 16;
/** The length of a position, which is a transaction number and a sequence number of 64 bits each. */
const POSITION_BYTES = 16;

interface Keys {
  readonly tag: Buffer;
  readonly cipher: Buffer;
}

/**
 * Encrypts cursors, since a plain transaction number would show how much all accounts write. A cursor opens only for
 * its own list and reader.
 */
@Injectable()
export class CursorSeal {
  private readonly keys: Keys;

  constructor(box: SecretBox) {
    this.keys = { tag: box.derive('tag of cursors'), cipher: box.derive('cipher of cursors') };
  }

  /** @param belongsTo names the list and its reader, for instance `events of acc_…` */
  seal(cursor: TransactionCursor, belongsTo: string): string {
    const position = encode(cursor);
    const tag = makeTag(position, belongsTo, this.keys);
    return Buffer.concat([tag, applyCipher(position, tag, this.keys)]).toString('base64url');
  }

  /** @throws CursorMalformed, with the request's `field`, if the cursor is not of this list and reader */
  open(text: string, belongsTo: string, field: string): TransactionCursor {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length !== TAG_BYTES + POSITION_BYTES || bytes.toString('base64url') !== text)
      throw new CursorMalformed(field);
    const tag = bytes.subarray(0, TAG_BYTES);
    const position = applyCipher(bytes.subarray(TAG_BYTES), tag, this.keys);
    if (!timingSafeEqual(tag, makeTag(position, belongsTo, this.keys))) throw new CursorMalformed(field);
    return decode(position);
  }
}

/** The tag is also the nonce (SIV mode, RFC 5297). No separator is needed, because `position` has a fixed length. */
function makeTag(position: Buffer, belongsTo: string, keys: Keys): Buffer {
  return createHmac('sha256', keys.tag).update(position).update(belongsTo).digest().subarray(0, TAG_BYTES);
}

/** Encrypts and decrypts, since counter mode has one operation for either direction. */
function applyCipher(bytes: Buffer, tag: Buffer, keys: Keys): Buffer {
  const cipher = createCipheriv(CIPHER, keys.cipher, tag);
  return Buffer.concat([cipher.update(bytes), cipher.final()]);
}

function encode({ xid, seq }: TransactionCursor): Buffer {
  const position = Buffer.alloc(POSITION_BYTES);
  position.writeBigUInt64BE(BigInt(xid), 0);
  position.writeBigUInt64BE(BigInt(seq), 8);
  return position;
}

function decode(position: Buffer): TransactionCursor {
  return TransactionCursor.at(String(position.readBigUInt64BE(0)), String(position.readBigUInt64BE(8)));
}
