import type { DomainName } from '../../domain/domain-name.js';
import type { WhoisLine } from './whois-text.js';

/** Longer lines are prose about rules, not a sentence about one name. */
const LONGEST = 160;
/** A line that runs on into the next one; lists of rules are set about this wide. */
const WRAPPED = 45;

/** Something that the server says in a line of its own. */
export interface Statement {
  /** As sent, for people. */
  readonly text: string;
  /** Lower case; the name asked for is `@`, any other name `@other`; quotes and end marks are gone. */
  readonly words: string;
  /** It stands among lines of prose, where rules are told in general terms. */
  readonly isProse: boolean;
}

/** The sentences that can be statements: short ones, none that carries on the sentence of the line before. */
export function statementsOf(lines: readonly WhoisLine[], name: DomainName): Statement[] {
  const asked = spellingsOf(name);
  return lines.flatMap((line, at) => {
    if (line.text === '' || line.text.length > LONGEST || carriesOn(lines, at)) return [];
    const isProse = isInParagraph(lines, at);
    return sentencesOf(line.text).map((text) => ({ text, words: wordsOf(text, asked), isProse }));
  });
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[\p{L}\d)][.!?;])\s+(?=\p{Lu})/u).filter((sentence) => /[\p{L}\d]/u.test(sentence));
}

/** A wide line before that has no end, and a small letter to begin with: the middle of somebody's terms. */
function carriesOn(lines: readonly WhoisLine[], at: number): boolean {
  const before = lines[at - 1]?.text ?? '';
  return before.length > WRAPPED && !/[.!?:;]$/.test(before) && /^\p{Ll}/u.test(lines[at]?.text ?? '');
}

function isInParagraph(lines: readonly WhoisLine[], at: number): boolean {
  const isWide = (index: number) => (lines[index]?.text.length ?? 0) > WRAPPED;
  return isWide(at) && ((isWide(at - 1) && (isWide(at + 1) || isWide(at - 2))) || (isWide(at + 1) && isWide(at + 2)));
}

function wordsOf(text: string, asked: RegExp): string {
  return text
    .toLowerCase()
    .replace(asked, ' @ ')
    .replace(OTHER_NAME, ' @other ')
    .replace(/(?<!\S)\.[\p{L}\d-]+/gu, ' ')
    .replace(/\bcan['’]?n?['’]?t\b/g, 'can not')
    .replace(/n['’]t\b/g, ' not')
    .replace(/["“”„«»'`‘’()[\]<>_]+/g, ' ')
    .replace(/^[\s.,;:|*>-]+|[\s.,;:!…-]+$/gu, '')
    .replace(/\s+/g, ' ');
}

const OTHER_NAME = /(?<![\p{L}\d@./-])(?:[\p{L}\d-]{1,63}\.){1,5}\p{L}[\p{L}\d-]{1,62}(?![\p{L}\d-])/gu;

/** The name in all its spellings; some servers repeat only the label in front of their TLD, one glued to its answer. */
function spellingsOf(name: DomainName): RegExp {
  const label = escaped(name.ascii.slice(0, name.ascii.lastIndexOf('.')));
  const whole = [...new Set([name.unicode, name.ascii])].map(escaped).join('|');
  const named = `(?<![\\p{L}\\d.@-])(?:${whole})(?:\\.(?!\\p{L}))?(?![\\p{L}\\d-]|\\.\\p{L})`;
  return new RegExp(`${named}|(?<=\\bfor ["']?)${label}(?=["']?[.!]?$)|^${label}(?=not found)`, 'gu');
}

/** A name holds letters, digits, hyphens and dots; only the last mean something in a pattern. */
function escaped(name: string): string {
  return name.replaceAll('.', '\\.');
}
