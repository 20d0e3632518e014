import { join } from 'node:path';

/** What makes Node load a file of this folder before the service, as a part of NODE_OPTIONS. */
export function preload(name: 'fast-watchdog' | 'lookups-hang-once'): string {
  return `--import=${join(import.meta.dirname, `${name}.mjs`)}`;
}
