import type { DomainName } from '../../../domain/name/domain-name.js';
import { parseField } from './whois-fields.js';
import type { WhoisLine } from './whois-text.js';

/** Longer lines are prose about rules, not a sentence about one name. */
const MAX_SENTENCE_LENGTH = 160;
/** A line that runs on into the next one; lists of rules are set about this wide. */
const WRAP_WIDTH = 45;
/** What is shorter is a word or two, set in a line of its own on purpose. */
const MAX_SHORT_LINE = 12;

/** Something that the server says in a line of its own. */
export interface Sentence {
  /** As sent, for people. */
  readonly text: string;
  /** Lower case; the name asked for is `@`, any other name `@other`; quotes and end marks are gone. */
  readonly words: string;
  /** It stands among lines of prose, where rules are told in general terms. */
  readonly isProse: boolean;
  /** The sentence goes on in another line, which may turn it round; the whole one is a statement of its own. */
  readonly isFragment: boolean;
}

/** The sentences that can be statements: short ones, none that carries on the sentence of the line before. */
export function extractSentences(lines: readonly WhoisLine[], name: DomainName): Sentence[] {
  const queriedName = namePattern(name);
  return groupPassages(lines).flatMap(({ from, to }) => {
    if (isAboutOtherObject(lines, to)) return [];
    const passage = lines.slice(from, to).map(({ text }) => text);
    const whole = passage.join(' ');
    const isWrapped = passage.length > 1;
    const own = passage.flatMap((text, at) => {
      if (text.length > MAX_SENTENCE_LENGTH || lines[from + at]?.isCut || continuesPrevious(lines, from + at))
        return [];
      const isProse = (isWrapped && whole.length > MAX_SENTENCE_LENGTH) || isInParagraph(lines, from + at);
      return splitLine(text).map((sentence) => toSentence(sentence, queriedName, isProse, isWrapped));
    });
    return isWrapped && whole.length <= MAX_SENTENCE_LENGTH
      ? [...own, toSentence(whole, queriedName, true, false)]
      : own;
  });
}

function toSentence(text: string, queriedName: RegExp, isProse: boolean, isPart: boolean): Sentence {
  return { text, words: normalizeWords(text, queriedName), isProse, isFragment: isPart };
}

/** `NO OBJECT FOUND! / object: 210 / type: person`: JWhoisServer on a contact of the name. */
function isAboutOtherObject(lines: readonly WhoisLine[], after: number): boolean {
  const [object, type] = lines.slice(after, after + 2).map(({ text }) => parseField(text));
  return object?.label === 'object' && type?.label === 'type' && type.value !== 'domain';
}

interface Passage {
  readonly from: number;
  readonly to: number;
}

/** Lines that one sentence runs through: `The domain … \n is not registered.` */
function groupPassages(lines: readonly WhoisLine[]): Passage[] {
  const passages: Passage[] = [];
  for (let from = 0; from < lines.length; from = passages.at(-1)?.to ?? lines.length) {
    let to = from + 1;
    while (continuesInNext(lines[to - 1]?.text ?? '', lines[to]?.text ?? '')) to++;
    passages.push({ from, to });
  }
  return passages.filter(({ from }) => lines[from]?.text !== '');
}

/** The line has no end, and the next begins with a small word that is neither a name nor a label. */
function continuesInNext(line: string, next: string): boolean {
  return (
    line.length > MAX_SHORT_LINE &&
    !/[.!?:;)]$/.test(line) &&
    /^\(?\p{Ll}[\p{L}'’-]*(?=[\s,)]|$)(?![^.]*:\s)/u.test(next) &&
    parseField(line) === null
  );
}

function splitLine(text: string): string[] {
  return text.split(/(?<=[\p{L}\d)][.!?;])\s+(?=\p{Lu})/u).filter((sentence) => /[\p{L}\d]/u.test(sentence));
}

/** A wide line before that has no end, and a small letter to begin with: the middle of somebody's terms. */
function continuesPrevious(lines: readonly WhoisLine[], at: number): boolean {
  const before = lines[at - 1]?.text ?? '';
  return before.length > WRAP_WIDTH && !/[.!?:;)]$/.test(before) && /^\p{Ll}/u.test(lines[at]?.text ?? '');
}

function isInParagraph(lines: readonly WhoisLine[], at: number): boolean {
  const isWide = (index: number) => (lines[index]?.text.length ?? 0) > WRAP_WIDTH;
  return isWide(at) && ((isWide(at - 1) && (isWide(at + 1) || isWide(at - 2))) || (isWide(at + 1) && isWide(at + 2)));
}

function normalizeWords(text: string, queriedName: RegExp): string {
  const lower = text.toLowerCase().replace(queriedName, ' @ ');
  // Only what has a dot can be a name; most lines have none.
  const named = lower.includes('.') ? lower.replace(OTHER_NAME, ' @other ').replace(SUFFIX, ' ') : lower;
  return (/['’]|\bcant\b/.test(named) ? named.replace(CANNOT, 'can not').replace(SHORT_NOT, ' not') : named)
    .replace(/["“”„«»'`‘’()[\]<>_]+/g, ' ')
    .replace(/^[\s.,;:|*>-]+|[\s.,;:!…-]+$/gu, '')
    .replace(/\s+/g, ' ');
}

const SUFFIX = /(?<!\S)\.[\p{L}\d-]+/gu;
const CANNOT = /\bcan['’]?n?['’]?t\b/g;
const SHORT_NOT = /n['’]t\b/g;
const OTHER_NAME = /(?<![\p{L}\d@./-])(?:[\p{L}\d-]{1,63}\.){1,5}\p{L}[\p{L}\d-]{1,62}(?![\p{L}\d-])/gu;

/** The name in all its spellings; some servers repeat only the label in front of their TLD, one glued to its answer. */
function namePattern(name: DomainName): RegExp {
  const label = escapeDots(name.ascii.slice(0, name.ascii.lastIndexOf('.')));
  const whole = [...new Set([name.unicode, name.ascii])].map(escapeDots).join('|');
  const named = `(?<![\\p{L}\\d.@-])(?:${whole})(?:\\.(?!\\p{L}))?(?![\\p{L}\\d-]|\\.\\p{L})`;
  return new RegExp(`${named}|(?<=\\bfor ["']?)${label}(?=["']?[.!]?$)|^${label}(?=not found)`, 'gu');
}

/** A name holds letters, digits, hyphens and dots; only the last mean something in a pattern. */
function escapeDots(name: string): string {
  return name.replaceAll('.', '\\.');
}
