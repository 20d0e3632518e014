import { jest } from '@jest/globals';
import type { Command } from 'commander';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { runCli } from '../../../src/cli/cli.js';
import { ownEnvironment } from './own-environment.js';

export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

type Environment = Readonly<Record<string, string>>;

const launcher = join(import.meta.dirname, '../../../bin/namewatch.mjs');

/** The listeners of `up` for these must not outlive it here. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** The command as people call it: a process of its own, which loads what it needs every time. */
export function runAsProcess(words: readonly string[], env: Environment): Promise<CommandResult> {
  return new Promise((resolve) => {
    execFile(process.execPath, [launcher, ...words], { env: { ...ownEnvironment(), ...env } }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out: out.trim(), err: err.trim() });
    });
  });
}

/** The same command in this process, a tenth of the time; that a program passes its code on, others have to see. */
export async function runInProcess(words: readonly string[], env: Environment): Promise<CommandResult> {
  const [out, err]: [string[], string[]] = [[], []];
  const settings = jest.replaceProperty(process, 'env', { ...env });
  const handlers = SIGNALS.map((signal) => process.listeners(signal));
  const listeners = [
    jest.spyOn(console, 'log').mockImplementation((line) => void out.push(`${String(line)}\n`)),
    jest.spyOn(console, 'error').mockImplementation((line) => void err.push(`${String(line)}\n`)),
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0),
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0),
  ];
  try {
    return { code: await runCli(words), out: out.join('').trim(), err: err.join('').trim() };
  } finally {
    for (const listener of listeners) listener.mockRestore();
    settings.restore();
    for (const [at, signal] of SIGNALS.entries())
      for (const handler of process.listeners(signal))
        if (!handlers[at]?.includes(handler)) process.off(signal, handler);
  }
}

/** The names of all that can be run: `account create`. */
export function commandNames(command: Command, names: readonly string[] = []): string[] {
  if (command.commands.length === 0) return [names.join(' ')];
  return command.commands.flatMap((one) => commandNames(one, [...names, one.name()]));
}
