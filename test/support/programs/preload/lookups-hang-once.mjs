/**
 * Loaded into a process of the service by `node --import`: none of its lookups ends. That happens once, as the file that
 * HANGS_UNLESS names remembers: the process that is started again is well. The launcher is none: it gives a worker flags.
 */
import 'reflect-metadata';
import { existsSync, writeFileSync } from 'node:fs';
import { RefreshDomain } from '../../../../dist/domains/checks/refresh-domain.js';

const { HANGS_UNLESS = '' } = process.env;
const isLauncher = process.execArgv.length === 0;
if (!isLauncher && !existsSync(HANGS_UNLESS)) {
  writeFileSync(HANGS_UNLESS, '');
  RefreshDomain.prototype.run = () => new Promise(() => {});
}
