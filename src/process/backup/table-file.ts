import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { dirname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { assertReserve } from './files.js';
import type { ListedTable } from './manifest.js';

export interface StreamOptions {
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: number) => void;
}

type TableFacts = Pick<ListedTable, 'bytes' | 'rows' | 'sha256'>;

/** Compresses fast. A higher level would save a tenth of the space and take three times as long. */
const COMPRESSION = { level: 1 };
const LINE_END = 10;
/** After this many bytes, the free space on the disk is checked again. */
const LOOK_EVERY = 4_000_000;

/** Writes rows, which are lines of text, into a new compressed file. */
export async function writeTable(
  rows: Readable,
  path: string,
  { signal, onBytes }: StreamOptions,
): Promise<TableFacts> {
  const facts = new Facts();
  let looked = 0;
  const onFile = async (piece: Buffer) => {
    facts.addFile(piece);
    if (facts.bytes < looked) return;
    looked = facts.bytes + LOOK_EVERY;
    await assertReserve(dirname(path));
  };
  const onText = (piece: Buffer) => {
    facts.addText(piece);
    onBytes(piece.length);
  };
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  await pipeline(rows, tap(onText), createGzip(COMPRESSION), tap(onFile), file, { signal });
  return facts.all();
}

/** Decompresses the rows in a file of `writeTable` and writes them to `into`, piece by piece to save memory. */
export async function readTable(path: string, into: Writable, { signal, onBytes }: StreamOptions): Promise<TableFacts> {
  const facts = new Facts();
  const onFile = (piece: Buffer) => {
    facts.addFile(piece);
    onBytes(piece.length);
  };
  const onText = (piece: Buffer) => facts.addText(piece);
  await pipeline(createReadStream(path), tap(onFile), createGunzip(), tap(onText), into, { signal });
  return facts.all();
}

/** Counts the rows of a streamed table, and computes the digest of its file. */
class Facts {
  bytes = 0;
  private rows = 0;
  private readonly hash = createHash('sha256');

  addFile(piece: Buffer): void {
    this.bytes += piece.length;
    this.hash.update(piece);
  }

  addText(piece: Buffer): void {
    for (let at = piece.indexOf(LINE_END); at >= 0; at = piece.indexOf(LINE_END, at + 1)) this.rows += 1;
  }

  all(): TableFacts {
    return { bytes: this.bytes, rows: this.rows, sha256: this.hash.digest('hex') };
  }
}

function tap(onPiece: (piece: Buffer) => unknown) {
  return async function* (pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      await onPiece(piece);
      yield piece;
    }
  };
}
