import { accessSync, chmodSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { InvalidConfigurationError } from '../../config/invalid-configuration.error.js';
import { errorMessage } from '../startup-error.js';
import { runsAsRoot } from '../postgres/database-user.js';

/**
 * Makes the folder of DATA_DIR where there is none, and checks that this user can work in it.
 * @throws InvalidConfigurationError
 */
export function createDataDirectory(path: string): void {
  withProblem(`cannot make ${path}`, () => {
    if (makeFolder(path)) chmodSync(path, runsAsRoot() ? 0o711 : 0o700);
  });
  assertWritableFolder(path);
}

/**
 * Checks the same and makes nothing: of a folder that is not there, as far as can be told without trying.
 * @throws InvalidConfigurationError
 */
export function assertUsableAsDataDirectory(path: string): void {
  assertWritableFolder(nearestFolder(path));
}

function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path));
}

function assertWritableFolder(path: string): void {
  if (!statSync(path).isDirectory()) throw new InvalidConfigurationError([`DATA_DIR: ${path} is not a folder`]);
  withProblem(`${path} is not writable`, () => accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK));
}

/** One folder at a time: with `recursive` Node 24 never returns below /proc, where none can be made. */
function makeFolder(path: string): boolean {
  if (existsSync(path)) return false;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false; // another start was faster
    throw error;
  }
}

function withProblem(problem: string, step: () => void): void {
  try {
    step();
  } catch (cause) {
    throw new InvalidConfigurationError([`DATA_DIR: ${problem}: ${errorMessage(cause)}`], { cause });
  }
}
