import type { WhoisLine } from './whois-text.js';

/** A labelled value, whatever the layout of the answer. */
export interface WhoisField {
  /** Lower case, one space between words, no dots, brackets or numbering. */
  readonly label: string;
  readonly value: string;
  /** The index of its block of lines; blank lines separate blocks. */
  readonly block: number;
}

/** `a. [Domain Name]   NAME` (JPRS, MYNIC). */
const BRACKETS = /^(?:[a-z0-9]{1,2}\.?\s+)?\[([^\]]{2,60})\]\s*(.*)$/i;
/** `Label: value`, `label......: value`, `1a.  Label : value`. */
const COLON = /^(?:\d{1,2}[a-z]?\.\s+)?([\p{L}\d][^:：]{0,60}?)[\s.]*[:：][\s.]*(.*)$/u;
/** `Label.....# value`. */
const HASH = /^(\p{L}[^#.]{1,60}?)\s*\.{3,}\s*#\s*(.*)$/u;
/** `Label      value` in columns without a colon. */
const COLUMNS = /^(\p{L}[\p{L} _-]{2,40}?)\s{4,}(\S.*)$/u;
/** `domain:Domain-Name;I:value`, RFC 2167's attributes of a class. */
const RWHOIS = /^domain:([A-Z][A-Za-z-]+)(?:;I)?:/;
const MAX_LABEL_WORDS = 7;
/** Lines that may follow a label on its own line. */
export const MAX_LINES_BELOW = 12;

/** All fields of an answer. A label on its own line takes the lines below it, up to a blank line or the next label. */
export function parseFields(lines: readonly WhoisLine[]): WhoisField[] {
  const fields: WhoisField[] = [];
  let block = 0;
  for (const [at, line] of lines.entries()) {
    if (line.text === '') block++;
    if (line.text === '' || line.isComment) continue;
    const field = parseField(line.text);
    if (!field) continue;
    const values = field.value === '' ? linesBelow(lines, at) : [field.value];
    for (const value of values) fields.push({ label: field.label, value, block });
  }
  return fields;
}

/** The label and value of one line, or null when it has none. */
export function parseField(line: string): { readonly label: string; readonly value: string } | null {
  const text = line.startsWith('domain:') ? line.replace(RWHOIS, '$1: ') : line;
  const [, label, value] = BRACKETS.exec(text) ?? matchDotted(text) ?? matchColumns(text) ?? COLON.exec(text) ?? [];
  if (label === undefined || value === undefined) return null;
  const plain = normalizeLabel(label);
  if (plain === '' || plain.split(' ').length > MAX_LABEL_WORDS || /https?$/.test(plain)) return null;
  return { label: plain, value: value.trim().replace(/^"(.*)"$/, '$1') };
}

/** Searching for the mark first saves the pattern on most lines. */
function matchDotted(text: string): RegExpExecArray | null {
  return text.includes('#') ? HASH.exec(text) : null;
}

/** A colon at the start of the second column belongs to a time. */
function matchColumns(text: string): RegExpExecArray | null {
  const columns = COLUMNS.exec(text);
  return columns && !/^[:：]/.test(columns[2] ?? '') ? columns : null;
}

function normalizeLabel(text: string): string {
  return text
    .toLowerCase()
    .replace(/[[\]().*"_\s-]+/g, ' ')
    .trim();
}

function linesBelow(lines: readonly WhoisLine[], at: number): string[] {
  const values: string[] = [];
  for (const { text, isComment } of lines.slice(at + 1, at + 1 + MAX_LINES_BELOW)) {
    if (text === '' || isComment || /[:：]\s*$|[:：]\s/.test(text) || BRACKETS.test(text)) break;
    values.push(text);
  }
  return values;
}
