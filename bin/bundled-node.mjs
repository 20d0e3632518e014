/**
 * Runs the command line on the Node that `npm ci` installed, if it was started on an older Node, such as the system's.
 * This file imports only what exists in Node 18 too.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const OLDEST = [24, 15];
/** The id of the process that started this one on a newer Node. It stays the same when `up` replaces its process. */
const LAUNCHER_PID = 'NAMEWATCH_LAUNCHER_PID';
const FORWARDED = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];
const PARENT_CHECK_MS = 500;

export function isTooOld() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}

/** Never resolves: this process is replaced, or ends like its child. */
export async function continueOnBundledNode() {
  const program = bundledNode();
  if (wasRelaunched() || program === null) refuse();
  const args = [...process.execArgv, ...process.argv.slice(1)];
  const env = { ...process.env, [LAUNCHER_PID]: String(process.pid) };
  if (process.execve) replaceWith(program, args, env);
  await endAs(spawn(program, args, { stdio: 'inherit', env }));
}

/** Ends the service if its launcher was killed by -9. Otherwise a supervisor would start a second service beside it. */
export function endWithLauncher() {
  const launcher = Number(process.env[LAUNCHER_PID]);
  if (!launcher || launcher !== process.ppid) return;
  const watch = setInterval(() => {
    if (process.ppid === launcher) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS);
  watch.unref();
}

function wasRelaunched() {
  return [process.pid, process.ppid].includes(Number(process.env[LAUNCHER_PID]));
}

function bundledNode() {
  try {
    const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    const program = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    return existsSync(program) ? program : null;
  } catch {
    return null; // installed without optional packages, or on a platform without a package
  }
}

/** Returns only on systems without execve. */
function replaceWith(program, args, env) {
  try {
    process.execve(program, [program, ...args], env);
  } catch {
    // the caller starts a child process instead
  }
}

function endAs(child) {
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal));
  child.on('error', refuse);
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
  return new Promise(() => undefined);
}

function refuse() {
  console.error(
    `Node 24.15 or newer is needed, this is ${process.version}: run "npm ci", which brings one, or install it`,
  );
  process.exit(1);
}
