import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { RunOptions } from './suite.js';

const DEFAULTS = { rounds: 3, seconds: 3 };
const MIN_NAMES = 10_000;
const MAX_NAMES = 100_000_000;

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

/**
 * @param args of the command line, without Node and the script
 * @param available the names of all suites
 * @throws OptionError
 */
export function parseOptions(args: readonly string[], available: readonly string[]): BenchOptions {
  const { values, positionals } = parse(args);
  return {
    suites: selectSuites(positionals, available),
    plan: {
      rounds: wholeNumber('rounds', values.rounds, 1, 1_000) ?? DEFAULTS.rounds,
      seconds: wholeNumber('seconds', values.seconds, 1, 3_600) ?? DEFAULTS.seconds,
      sizes: values.sizes === undefined ? null : parseSizes(values.sizes),
      keep: values.keep === undefined ? null : resolve(nonEmpty('keep', values.keep)),
    },
    json: values.json,
    limitSeconds: wholeNumber('limit', values.limit, 1, 86_400),
  };
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const options = {
    rounds: text,
    seconds: text,
    sizes: text,
    keep: text,
    limit: text,
    json: flag,
  };
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split(/\.\s/);
    throw new OptionError(sentence, { cause: error });
  }
}

function selectSuites(names: readonly string[], available: readonly string[]): readonly string[] {
  const unknown = names.find((name) => name !== 'all' && !available.includes(name));
  if (unknown !== undefined)
    throw new OptionError(`there is no suite ${unknown}; there are: all, ${available.join(', ')}`);
  return names.length === 0 || names.includes('all') ? available : [...new Set(names)];
}

function parseSizes(text: string): number[] {
  const sizes = text.split(',').map((size) => (/^\d+$/.test(size) ? Number(size) : NaN));
  if (sizes.every((size) => size >= MIN_NAMES && size <= MAX_NAMES)) return sizes;
  throw new OptionError(
    `--sizes are numbers of names from ${MIN_NAMES} to ${MAX_NAMES} with commas between them, not "${text}"`,
  );
}

function wholeNumber(name: string, text: string | undefined, least: number, most: number): number | null {
  if (text === undefined) return null;
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= least && value <= most) return value;
  throw new OptionError(`--${name} is a whole number from ${least} to ${most}, not "${text}"`);
}

function nonEmpty(name: string, text: string): string {
  if (text.trim() === '') throw new OptionError(`--${name} needs a path`);
  return text;
}
