import { accessSync, chmodSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { InvalidConfiguration } from '../../config/config.js';
import { reasonOf } from '../startup-error.js';
import { runsAsRoot } from '../postgres/database-user.js';

/**
 * Makes the folder of DATA_DIR where there is none, and checks that this user can work in it.
 * @throws InvalidConfiguration
 */
export function openFolder(path: string): void {
  explained(`cannot make ${path}`, () => {
    if (make(path)) chmodSync(path, runsAsRoot() ? 0o711 : 0o700);
  });
  if (!statSync(path).isDirectory()) throw new InvalidConfiguration([`DATA_DIR: ${path} is not a folder`]);
  explained(`${path} is not writable`, () => accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK));
}

/** One folder at a time: with `recursive` Node 24 never returns below /proc, where none can be made. */
function make(path: string): boolean {
  if (existsSync(path)) return false;
  make(dirname(path));
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false; // another start was faster
    throw error;
  }
}

function explained(problem: string, step: () => void): void {
  try {
    step();
  } catch (cause) {
    throw new InvalidConfiguration([`DATA_DIR: ${problem}: ${reasonOf(cause)}`], { cause });
  }
}
