import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** The machine's own Node, where it is too old for the service; else null. */
export function olderNode(): string | null {
  const folders = new Set([...(process.env.PATH ?? '').split(':'), '/usr/local/bin', '/usr/bin']);
  return [...folders].map((folder) => join(folder, 'node')).find(isTooOld) ?? null;
}

function isTooOld(program: string): boolean {
  try {
    const version = execFileSync(program, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const [major = 0, minor = 0] = version.trim().slice(1).split('.').map(Number);
    return major < 22 || (major === 22 && minor < 15);
  } catch {
    return false; // there is none
  }
}
