import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import type { Config } from '../../config/config.js';
import { type Installation, readInstallation } from '../../extensions/load-extensions.js';
import { startProcess, type RunningProcess } from '../../process/start-process.js';
import { StartupError, ClockMovedError } from '../../process/startup-error.js';
import { SECOND } from '../../kernel/clock.js';
import { quoteForShell } from '../terminal.js';
import { Stopped, createStopSignal } from '../../process/shutdown.js';

export function up(): Command {
  return new Command('up')
    .option('--restart', "restart after PostgreSQL's clock was moved, instead of exiting with 1 for a supervisor")
    .action(async ({ restart = false }: { restart?: boolean }) => {
      const installation = await readInstallation();
      const stop = createStopSignal();
      await (restart ? serveWithRestart(installation, stop) : serve(installation, stop));
    });
}

/**
 * Restarts this process after PostgreSQL's clock was moved. At its start, a process repairs wrong times in the
 * database.
 */
async function serveWithRestart(installation: Installation, stop: AbortSignal): Promise<void> {
  try {
    await serve(installation, stop);
  } catch (error) {
    if (!(error instanceof ClockMovedError) || stop.aborted) throw error;
    console.error(error.message);
    reExec();
    throw error;
  }
}

/** Serves until a signal arrives. Then finishes the work in progress, and stops PostgreSQL last. */
async function serve({ config, extensions }: Installation, stop: AbortSignal): Promise<void> {
  const shutdown = new AsyncDisposableStack();
  let moved: ClockMovedError | null = null;
  let hasServed = false;
  try {
    const running = await startProcess(config, extensions, shutdown, stop);
    await reportReady(config, running);
    hasServed = true;
    await Promise.race([
      untilRetired(running, stop),
      running.databaseEnded.then((reason) => Promise.reject(new StartupError(`PostgreSQL ended ${reason}`))),
      running.clockMoved.then((byMs) => Promise.reject(new ClockMovedError(byMs))),
    ]);
  } catch (error) {
    if (error instanceof ClockMovedError) moved = error;
    else {
      if (!hasServed) await silenceLog();
      if (!stop.aborted) throw error; // after a stop signal, any error is expected
    }
  } finally {
    await shutdown.disposeAsync().catch((error: unknown) => reportShutdownFailure(moved, error));
  }
  if (moved) throw moved;
}

/** How long to serve after SIGTERM. Load balancers ask `/readyz` every few seconds, and so notice the stop in time. */
const RETIREMENT_MS = 5 * SECOND;

/** After SIGTERM, serves a little longer, so that load balancers notice the stop. After Ctrl-C, returns at once. */
async function untilRetired(running: RunningProcess, stop: AbortSignal): Promise<void> {
  if (!stop.aborted) await once(stop, 'abort');
  if (!(stop.reason instanceof Stopped) || stop.reason.signal !== 'SIGTERM') return;
  running.retire();
  await pause(RETIREMENT_MS);
}

/** Silences the log after a failed start. Connections that are still open would log that PostgreSQL stops. */
async function silenceLog(): Promise<void> {
  const { Logger } = await import('@nestjs/common');
  Logger.overrideLogger(false);
}

/**
 * Throws an error of the shutdown. If the clock moved, only prints the error, so that the caller gets the
 * `ClockMovedError`.
 */
function reportShutdownFailure(moved: ClockMovedError | null, error: unknown): void {
  if (!moved) throw error;
  console.error(`not everything could be closed: ${(error as Error).message}`);
}

/** Prints the ready line, which scripts wait for. In a JSON log, only this line is not JSON. */
async function reportReady(config: Config, running: RunningProcess): Promise<void> {
  const { address, keyFile } = running;
  console.log(`Namewatch ready at ${address}`);
  if (config.role !== 'all' && config.role !== 'api') return;
  const message = readyMessage(config, running);
  if (config.logFormat === 'pretty') {
    for (const line of message) console.log(line);
    return;
  }
  const { Logger } = await import('@nestjs/common');
  const ui = config.ui ? { dashboard: `${address}/ui/` } : {};
  const fields = { address, ...ui, docs: `${address}/docs`, ...(keyFile === null ? {} : { keyFile }) };
  new Logger('Namewatch').log(fields, ['serving', ...message].join('; ').replace(/: +/g, ': '));
}

function readyMessage(config: Config, { address, newKey, keyFile }: RunningProcess): string[] {
  const lines = [...(config.ui ? [`Dashboard: ${address}/ui/`] : []), `API docs:  ${address}/docs`];
  if (keyFile === null) return lines;
  // Shows the key only on a terminal. More people can read a journal or a CI log than the key file.
  const shownKey = process.stdout.isTTY ? newKey : null;
  lines.push(shownKey === null ? `API key:   in ${keyFile}` : `API key:   ${shownKey} (kept in ${keyFile})`);
  if (config.sandbox && config.logFormat === 'pretty') lines.push('Try it:', exampleCall(address, keyFile));
  return lines;
}

function exampleCall(address: string, keyFile: string): string {
  return `curl -H "Authorization: Bearer $(cat ${quoteForShell(keyFile)})" "${address}/v1/domains/check?domain=available.test"`;
}

/**
 * Restarts the program under the same process id, so that signals to the id still arrive. Does nothing if Node.js lacks
 * `execve`.
 */
function reExec(): void {
  process.execve?.(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)]);
}
