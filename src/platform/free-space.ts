import { statfs } from 'node:fs/promises';

/** Returns how many bytes a program without root's rights may still write on the folder's disk. */
export async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
