import { statfs } from 'node:fs/promises';

/** Bytes that programs other than root's may still write on the disk of a folder. */
export async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
