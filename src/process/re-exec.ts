/**
 * Becomes a new process with the same words, number, parent and terminal, so that signals reach it as they did; what
 * was open is closed by the kernel. Returns on systems without execve, and then nothing has happened.
 */
export function reExec(): void {
  process.execve?.(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)]);
}
