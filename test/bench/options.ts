import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { RunOptions } from './suite.js';

/** The options of the command line. */
export interface BenchOptions {
  readonly suites: readonly string[];
  readonly plan: RunOptions;
  readonly json: boolean;
  /** Replaces each suite's own; null leaves that one. */
  readonly limitSeconds: number | null;
}

/** Options that make no sense; the message says so in one sentence. */
export class OptionError extends Error {}

const OPTIONS = {
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '3' },
  sizes: { type: 'string' },
  keep: { type: 'string' },
  limit: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

/**
 * @param args of the command line, without Node and the script
 * @param available the names of all suites
 * @throws OptionError
 */
export function parseOptions(args: readonly string[], available: readonly string[]): BenchOptions {
  const { values, positionals } = parse(args);
  const unknown = positionals.find((name) => name !== 'all' && !available.includes(name));
  if (unknown !== undefined)
    throw new OptionError(`there is no suite ${unknown}; there are: all, ${available.join(', ')}`);
  const isAll = positionals.length === 0 || positionals.includes('all');
  return {
    suites: isAll ? available : [...new Set(positionals)],
    plan: {
      rounds: wholeNumber('rounds', values.rounds),
      seconds: wholeNumber('seconds', values.seconds),
      sizes: values.sizes?.split(',').map((size) => wholeNumber('sizes', size)) ?? null,
      keep: values.keep === undefined ? null : resolve(values.keep),
    },
    json: values.json,
    limitSeconds: values.limit === undefined ? null : wholeNumber('limit', values.limit),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw new OptionError((error as Error).message, { cause: error });
  }
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new OptionError(`--${name} takes whole numbers from 1, not "${text}"`);
}
