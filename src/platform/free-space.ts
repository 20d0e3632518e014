import { statfs } from 'node:fs/promises';

/** Returns how many bytes programs without root's rights may still write on the disk of a folder. */
export async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
