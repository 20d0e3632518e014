import type { DomainName } from '../domain/name/domain-name.js';
import { parseField } from './whois-fields.js';
import type { WhoisLine } from './whois-text.js';

/** Longer lines are general terms, not a sentence about one name. */
const MAX_SENTENCE_LENGTH = 160;
/** Lines of general terms are wrapped at about this width or more. */
const WRAP_WIDTH = 45;
/** Shorter lines are a word or two, on a line of their own on purpose. */
const MAX_SHORT_LINE = 12;

/** A sentence of the server. */
export interface Sentence {
  /** Is the text as it was sent, for evidence. */
  readonly text: string;
  /** Lower case, with `@` for the queried name and `@other` for other names, without quotes and punctuation. */
  readonly words: string;
  /** It is part of a paragraph, which usually states general terms. */
  readonly isProse: boolean;
  /** The sentence continues on another line, which may reverse it; the whole sentence is listed as well. */
  readonly isFragment: boolean;
}

/** The sentences that rules may match: short ones that do not continue the line before. */
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

/**
 * Groups lines that one sentence spans: `The domain …
 *  is not registered.`
 */
function groupPassages(lines: readonly WhoisLine[]): Passage[] {
  const passages: Passage[] = [];
  for (let from = 0; from < lines.length; from = passages.at(-1)?.to ?? lines.length) {
    let to = from + 1;
    while (continuesInNext(lines[to - 1]?.text ?? '', lines[to]?.text ?? '')) to++;
    passages.push({ from, to });
  }
  return passages.filter(({ from }) => lines[from]?.text !== '');
}

/** The line is unfinished, and the next begins with a lower-case word that is neither a name nor a label. */
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

/** A lower-case beginning after a wide unfinished line is the middle of general terms. */
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
  // Only text with a dot can contain a name; most lines have none.
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

/**
 * Matches every spelling of the name; some servers repeat only the label before their TLD, one joins it to its
 * answer.
 */
function namePattern(name: DomainName): RegExp {
  const label = escapeDots(name.ascii.slice(0, name.ascii.lastIndexOf('.')));
  const whole = [...new Set([name.unicode, name.ascii])].map(escapeDots).join('|');
  const named = `(?<![\\p{L}\\d.@-])(?:${whole})(?:\\.(?!\\p{L}))?(?![\\p{L}\\d-]|\\.\\p{L})`;
  return new RegExp(`${named}|(?<=\\bfor ["']?)${label}(?=["']?[.!]?$)|^${label}(?=not found)`, 'gu');
}

/** Only the dots of a name have a meaning in a pattern. */
function escapeDots(name: string): string {
  return name.replaceAll('.', '\\.');
}
