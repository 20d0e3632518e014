import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { LoggerService } from '@nestjs/common';
import { Command, InvalidArgumentError } from 'commander';
import { MAIL_ADDRESS_PATTERN } from '../kernel/mail-address.js';
import { parseDay, parseInstant } from '../kernel/instant.js';
import { HIDDEN_CHARACTERS } from '../kernel/printable-line.js';
import { CommandError, EXIT } from './exit-codes.js';

/** Control characters, invisible characters, characters that change the direction of text, and unusual line ends. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Escapes text from others, because such text must not move the cursor or reverse the line. */
export function toPrintable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`);
}

export function toPrintableLines(text: string): string {
  return text.split('\n').map(toPrintable).join('\n');
}

/** Returns JSON for a terminal. Also escapes C1 controls and direction marks, which `JSON.stringify` leaves. */
export function toPrintableJson(value: unknown): string {
  return escapeInJson(JSON.stringify(value));
}

/** @param json JSON on one line */
export function escapeInJson(json: string): string {
  return json.replace(UNPRINTABLE, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** Makes a command that scripts can ask for JSON. */
export function jsonCommand(name: string): Command {
  return new Command(name).option('--json', 'one line of JSON for scripts');
}

/** Prints one line of JSON for scripts, or lines for people. Escapes text that could control a terminal. */
export function print(json: boolean | undefined, machine: unknown, human: readonly string[]): void {
  console.log(json ? toPrintableJson(machine) : toPrintableLines(human.join('\n')));
}

export function table(headers: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = headers.map((header, at) => Math.max(header.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  return [headers, ...rows].map(line);
}

export function definitionList(facts: Readonly<Record<string, string>>): string[] {
  const width = Math.max(...Object.keys(facts).map((name) => name.length));
  return Object.entries(facts).map(([name, value]) => `${name.padEnd(width)}  ${value}`.trimEnd());
}

/** Returns a text such as `1.4 GB` or `62 MB`, with decimal units as in file managers. */
export function formatBytes(bytes: number): string {
  return bytes < 1e9 ? `${Math.ceil(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** Quotes a word for a shell's command line, if needed. */
export function quoteForShell(word: string): string {
  return /^[\w./+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Returns a text such as `1 line` or `2 lines`. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

const ERROR_TEXTS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a folder, not a file',
  ENOTDIR: 'does not exist: a part of its path is a file',
  EACCES: 'may not be opened by this user',
  EPERM: 'may not be opened by this user',
  EEXIST: 'exists already: nothing is overwritten',
  ENOSPC: 'could not be written: the disk is full',
};

/** The maximum size of input. No command needs more, and endless input must not fill the memory. */
const MAX_INPUT_BYTES = 256 * 1_024 * 1_024;

/** Reads a whole file, or standard input if the name is `-`. */
export async function readInput(file: string): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) {
      bytes += (chunk as Buffer).length;
      if (bytes > MAX_INPUT_BYTES) break;
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    throw toFileError(file, error);
  }
  if (bytes > MAX_INPUT_BYTES)
    throw new CommandError(EXIT.usage, `${nameInput(file)} is larger than ${MAX_INPUT_BYTES >> 20} MiB`);
  return Buffer.concat(chunks);
}

/** Saves a response in a new file. Never overwrites an existing file. */
export async function saveAnswer({ body }: Response, file: string): Promise<void> {
  try {
    const content = Readable.fromWeb(body as ReadableStream<Uint8Array>);
    await pipeline(content, createWriteStream(file, { flags: 'wx' }));
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    throw syscall === undefined ? new CommandError(EXIT.failed, message) : toFileError(file, error);
  }
}

/** Explains in one sentence why a file cannot be used. */
export function toFileError(file: string, error: unknown): CommandError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return new CommandError(EXIT.usage, `${nameInput(file)} ${ERROR_TEXTS[code] ?? `cannot be used: ${message}`}`);
}

function nameInput(file: string): string {
  return file === '-' ? 'standard input' : file;
}

export interface Progress {
  update(done: number): void;
  /** Prints a line on stderr, above the bar if there is one. */
  log(line: string): void;
  end(): void;
}

/** Shows a progress bar if stderr is a terminal. Otherwise, only prints the lines given to `log`. */
export async function createProgress(total: number, unit = 'lines'): Promise<Progress> {
  const silent = { update: () => undefined, log: (line: string) => console.error(line), end: () => undefined };
  if (!process.stderr.isTTY) return silent;
  const { MultiBar, Presets } = await import('cli-progress');
  const options = { stream: process.stderr, format: `{bar} {value}/{total} ${unit}, {eta_formatted} left` };
  const bars = new MultiBar({ ...options, hideCursor: true, clearOnComplete: true }, Presets.shades_classic);
  const bar = bars.create(total, 0);
  return {
    update: (done) => bar.update(Math.min(done, total)),
    log: (line) => bars.log(`${line}\n`),
    end: () => bars.stop(),
  };
}

export interface StepProgress {
  readonly show: (step: string, done: number, all: number) => void;
  readonly end: () => void;
}

/** Shows a progress bar on stderr. The bar restarts with each step. Shows nothing if stderr is no terminal. */
export async function createStepProgress(): Promise<StepProgress> {
  if (!process.stderr.isTTY) return { show: () => undefined, end: () => undefined };
  const { SingleBar, Presets } = await import('cli-progress');
  const options = { stream: process.stderr, format: '{step} {bar} {percentage} %, {eta_formatted} left' };
  const bar = new SingleBar({ ...options, hideCursor: true, clearOnComplete: true }, Presets.shades_classic);
  let current: string | null = null;
  const show = (step: string, done: number, all: number) => {
    if (step !== current) bar.start(all, done, { step });
    else bar.update(done);
    current = step;
  };
  return { show, end: () => bar.stop() };
}

/** Makes one line of a logger's arguments: an error, a text, or an object with fields and then a text. */
function lineOf(parts: readonly unknown[]): string {
  const [first] = parts;
  if (first instanceof Error) return first.message;
  const { err } = Object(first) as { readonly err?: unknown };
  const reason = err instanceof Error ? `: ${err.message}` : '';
  return `${textOf(parts)}${reason}`;
}

function textOf(parts: readonly unknown[]): string {
  return parts.find((part) => typeof part === 'string') ?? String(parts[0]);
}

/** Logs warnings and errors to stderr, since scripts read stdout. */
const STDERR: LoggerService = {
  log: () => undefined,
  warn: (...parts: unknown[]) => console.error(`warning: ${lineOf(parts)}`),
  // Skips Nest's report of a failed start. Nest also throws the error, which the command reports.
  error: (...parts: unknown[]) => parts.at(-1) === 'ExceptionHandler' || console.error(`error: ${lineOf(parts)}`),
  fatal: (...parts: unknown[]) => console.error(`error: ${lineOf(parts)}`),
};

/** Replaces Nest's own logger, which writes coloured text to stdout. */
export async function logToStderr(): Promise<void> {
  const { Logger } = await import('@nestjs/common');
  Logger.overrideLogger(STDERR);
}

export function parseWholeNumber(max = 999_999_999, min = 1): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!Number.isInteger(number) || number < min || number > max)
      throw new InvalidArgumentError(`not a whole number from ${min} to ${max}`);
    return number;
  };
}

export function parseList(text: string): readonly string[] {
  return text.split(',').map((item) => item.trim());
}

const MAIL_ADDRESS = new RegExp(MAIL_ADDRESS_PATTERN, 'u');
const VISIBLE = new RegExp(`^[^${HIDDEN_CHARACTERS}]+$`, 'u');

/** Parses the name that a person gives an account or a key. */
export function parseName(text: string): string {
  if (!VISIBLE.test(text)) throw new InvalidArgumentError('not one line without hidden characters');
  return text;
}

export function parseMailAddress(text: string): string {
  if (!MAIL_ADDRESS.test(text)) throw new InvalidArgumentError('not one plain mail address such as alice@example.com');
  return text;
}

export function parseDate(text: string): Date {
  const date = parseDay(text) ?? parseInstant(text);
  if (!date) throw new InvalidArgumentError('not a date such as 2027-01-31 or 2027-01-31T12:00:00Z');
  return date;
}
