import { isUtf8 } from 'node:buffer';

/** More than any registry writes about one name. */
const MAX_LINES = 2_000;
/** A longer line is somebody's rules. */
const MAX_LINE_LENGTH = 600;

/** One line of an answer, with its comment mark taken off. */
export interface WhoisLine {
  /** Without comment mark, control characters and outer white space; inner white space as sent, tabs included. */
  readonly text: string;
  /** It was behind `%`, `#`, `;`, `*`, `>>>` or inside JPRS's brackets: the server speaks, not the register. */
  readonly isComment: boolean;
  /** Columns of white space before it. */
  readonly indent: number;
  /** Its end was not read, so that it may say anything. */
  readonly isCut: boolean;
}

/** Why a text cannot be read as what it seems to say. */
export type WhoisTextFlaw = 'control_characters' | 'too_many_lines';

/**
 * The text of an answer: UTF-8 wherever it is valid UTF-8, which no other charset is by chance, else in the registry's
 * own charset, Latin-1 by default. Every byte has a meaning there, so that nothing can fail.
 */
export function decodeBody(body: Buffer, charset = 'latin1'): string {
  return new TextDecoder(isUtf8(body) ? 'utf-8' : charset).decode(body);
}

/**
 * No registry sends control characters but tabs and line ends: none does in some two thousand collected answers, and EPP
 * (XML) could not carry them. With them taken out, a damaged or UTF-16 text would say what nobody wrote. Windows-1252
 * taken for Latin-1 makes C1 controls, which do occur in contacts.
 */
export function findTextFlaw(text: string): WhoisTextFlaw | null {
  // eslint-disable-next-line no-control-regex -- they are what is looked for
  if (/[\0-\x08\v\f\x0e-\x1f\x7f]/.test(text)) return 'control_characters';
  return text.split(LINE_END, MAX_LINES + 1).length > MAX_LINES ? 'too_many_lines' : null;
}

/** The registry's own lines of an answer. */
export function parseLines(text: string): WhoisLine[] {
  const lines = text.split(LINE_END, MAX_LINES).map(collapsePadding);
  return registryPart(lines.map(sanitizeLine)).map(toWhoisLine);
}

const LINE_END = /\r\n|\n|\r/;
const PADDING = /([^\p{L}\p{N}]{20})[^\p{L}\p{N}]+([^\p{L}\p{N}]{20})/gu;

/** Padding must not push the words behind it out of sight. */
function collapsePadding(line: string): string {
  return line.length > MAX_LINE_LENGTH ? line.replace(PADDING, '$1$2') : line;
}

/** What cannot be seen or stored is marked, and not taken out: it must not join what it parts. */
function sanitizeLine(line: string): string {
  return line
    .slice(0, MAX_LINE_LENGTH + 1)
    .replace(/\t/g, '    ')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, '\ufffd')
    .toWellFormed()
    .trimEnd();
}

/**
 * Command-line clients print IANA's record first, and a registrar's answer last. Who decides is the registry between
 * them: a registrar's "not found" once made a name in redemption look free (weppos/whois#295).
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
  if (bracketed !== undefined) return { text: bracketed.trim(), isComment: true, indent: 0, isCut };
  const mark = COMMENT.exec(line)?.[0];
  const body = mark === undefined ? line : line.slice(mark.length);
  const text = body.trim().replace(/\s*(?:<<<+|\*+)$/, '');
  const indent = body.length - body.trimStart().length;
  return { text, isComment: mark !== undefined && !mark.includes('*'), indent, isCut };
}
