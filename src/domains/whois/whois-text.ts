import { isUtf8 } from 'node:buffer';

/** The maximum number of lines. No registry sends so many lines about one name. */
const MAX_LINES = 2_000;
/** A line that is longer than this is cut, since only terms of use have such lines. */
const MAX_LINE_LENGTH = 600;

export interface WhoisLine {
  /** The line without its comment mark and outer white space. Invisible characters and tabs are replaced. */
  readonly text: string;
  /**
   * A line with a comment mark (`%`, `#`, `;`, `>>>`, `//`, JPRS's brackets) is a message, not a part of the record.
   */
  readonly isComment: boolean;
  /** Whether the line is truncated, so that its meaning is unknown. */
  readonly isCut: boolean;
}

export type WhoisTextFlaw = 'control_characters' | 'too_many_lines';

/** Tries UTF-8 first, because text in another charset is hardly ever valid UTF-8 by chance. */
export function decodeBody(body: Buffer, charset = 'latin1'): string {
  return new TextDecoder(isUtf8(body) ? 'utf-8' : charset).decode(body);
}

/**
 * Control characters show a damaged text or UTF-16. Real registry data has none, because the XML of EPP forbids nearly
 * all.
 */
export function findTextFlaw(text: string): WhoisTextFlaw | null {
  // C1 controls are allowed, because Windows-1252 read as Latin-1 has them.
  // oxlint-disable-next-line no-control-regex -- they are what this finds
  if (/[\0-\x08\v\f\x0e-\x1f\x7f]/.test(text)) return 'control_characters';
  return text.split(LINE_END, MAX_LINES + 1).length > MAX_LINES ? 'too_many_lines' : null;
}

/** Returns the lines that the registry itself sent. */
export function parseLines(text: string): WhoisLine[] {
  const lines = text.split(LINE_END, MAX_LINES).map(collapsePadding);
  return registryPart(lines.map(sanitizeLine)).map(toWhoisLine);
}

const LINE_END = /\r\n|\n|\r/;
const PADDING = /([^\p{L}\p{N}]{20})[^\p{L}\p{N}]+([^\p{L}\p{N}]{20})/gu;

/** Shortens padding, so that it does not push words beyond the length limit. */
function collapsePadding(line: string): string {
  return line.length > MAX_LINE_LENGTH ? line.replace(PADDING, '$1$2') : line;
}

/** Replaces invisible characters instead of removing them, so that the words between them are not joined. */
function sanitizeLine(line: string): string {
  return line
    .slice(0, MAX_LINE_LENGTH + 1)
    .replace(/\t/g, '    ')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, '\ufffd')
    .toWellFormed()
    .trimEnd();
}

/**
 * Returns only the registry's part, because some servers also send IANA's and the registrar's answers. A registrar's
 * "not found" does not mean a free name (weppos/whois#295).
 */
function registryPart(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  const isPreceded = first >= 0 && /^% IANA WHOIS server/i.test(lines[first] ?? '');
  const heads = lines.flatMap((line, at) => (SERVER_HEAD.test(line) ? [at] : []));
  if (!isPreceded) return heads[0] === first && heads[1] !== undefined ? lines.slice(0, heads[1]) : lines;
  return heads[0] === undefined ? lines : lines.slice(heads[0] + 1, heads[1]);
}

const SERVER_HEAD = /^# (?:whois|[a-z0-9-]+\.whois|whois[0-9])[a-z0-9.-]*\.[a-z]{2,}$/i;
const COMMENT = /^\s*(?:[%#;*]+-?|>>>+|\/\/)\s?/;
const BRACKETED = /^\[\s(.*)\]$/;

function toWhoisLine(line: string): WhoisLine {
  const bracketed = BRACKETED.exec(line.trim())?.[1];
  const isCut = line.length > MAX_LINE_LENGTH;
  if (bracketed !== undefined) return { text: bracketed.trim(), isComment: true, isCut };
  const mark = COMMENT.exec(line)?.[0];
  const body = mark === undefined ? line : line.slice(mark.length);
  const text = body.trim().replace(/\s*(?:<<<+|\*+)$/, '');
  return { text, isComment: mark !== undefined && !mark.includes('*'), isCut };
}
