import { isUtf8 } from 'node:buffer';

/** More than any registry writes about one name; the rest is somebody's rules. */
const LINES = 2_000;
const LINE_LENGTH = 600;

/** One line of an answer, with its comment mark taken off. */
export interface WhoisLine {
  /** Without comment mark, control characters and outer white space; inner white space as sent, tabs included. */
  readonly text: string;
  /** It was behind `%`, `#`, `;`, `*`, `>>>` or inside JPRS's brackets: the server speaks, not the register. */
  readonly isComment: boolean;
  /** Columns of white space before it. */
  readonly indent: number;
}

/**
 * The text of an answer: UTF-8 wherever it is valid UTF-8, which no other charset is by chance, else in the registry's
 * own charset, Latin-1 by default. Every byte has a meaning there, so that nothing can fail.
 */
export function textOfAnswer(body: Buffer, charset = 'latin1'): string {
  return new TextDecoder(isUtf8(body) ? 'utf-8' : charset).decode(body);
}

/** The registry's own lines of an answer. */
export function linesOf(text: string): WhoisLine[] {
  return registryPart(text.split(/\r\n|\n|\r/, LINES).map(plain)).map(lineOf);
}

/** Tabs stay, for they part columns; what could drive a terminal or cannot be stored goes. */
function plain(line: string): string {
  return line
    .slice(0, LINE_LENGTH)
    .replace(/\t/g, '    ')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, '')
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

function lineOf(line: string): WhoisLine {
  const bracketed = BRACKETED.exec(line.trim())?.[1];
  if (bracketed !== undefined) return { text: bracketed.trim(), isComment: true, indent: 0 };
  const mark = COMMENT.exec(line)?.[0];
  const body = mark === undefined ? line : line.slice(mark.length);
  const text = body.trim().replace(/\s*(?:<<<+|\*+)$/, '');
  return { text, isComment: mark !== undefined && !mark.includes('*'), indent: body.length - body.trimStart().length };
}
