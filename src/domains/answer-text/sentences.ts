import type { DomainName } from '../domain/name/domain-name.js';

/** A line longer than this may be wrapped. Then its sentence continues on the next line. */
const WRAP_WIDTH = 45;
/** A line up to this length ends a sentence, even if the next line begins in lower case. */
const MAX_SHORT_LINE = 12;
/** The longest statement about a name. A longer passage is a paragraph of terms of use. */
const MAX_STATEMENT_LENGTH = 160;

export interface AnswerLine {
  /** The line, trimmed, and without the mark (such as `%`) before remarks of WHOIS servers. */
  readonly text: string;
  /** The label of a value. A labelled line never continues the line before. */
  readonly label?: string | null;
  /** Whether the line is truncated, so that its meaning is unknown. */
  readonly isCut?: boolean;
}

export interface Sentence {
  /** The text as it was sent, for evidence. */
  readonly text: string;
  /** The text in lower case, without quotes and suffixes such as `.com`. `@` is the queried name, `@other` another. */
  readonly words: string;
  /** Whether the sentence mentions the queried name's suffix (such as `.com`), or only other suffixes. */
  readonly suffix: 'own' | 'other' | null;
  /** Whether the sentence is part of a paragraph, list or truncated line. Most prose is terms of use. */
  readonly isProse: boolean;
  readonly label: string | null;
}

export function extractSentences(lines: readonly AnswerLine[], name: DomainName): Sentence[] {
  const toSentence = sentenceReader(name);
  const sentences: Sentence[] = [];
  for (const { from, to } of groupPassages(lines)) {
    const whole = joinLines(lines.slice(from, to));
    const isProse = isParagraph(lines, from, to, whole);
    const label = lines[from]?.label ?? null;
    for (const text of splitPassage(whole)) sentences.push({ ...toSentence(text), isProse, label });
  }
  return sentences;
}

function joinLines(lines: readonly AnswerLine[]): string {
  return lines.map(({ text }) => text).join(' ');
}

interface Passage {
  readonly from: number;
  readonly to: number;
}

/** Groups the lines of one sentence, such as "The domain …" and "is not registered." */
function groupPassages(lines: readonly AnswerLine[]): Passage[] {
  const passages: Passage[] = [];
  for (let from = 0; from < lines.length; from = passages.at(-1)?.to ?? lines.length) {
    let to = from + 1;
    while (continuesInNext(lines[to - 1], lines[to])) to++;
    passages.push({ from, to });
  }
  return passages.filter(({ from }) => lines[from]?.text !== '');
}

/** No sentence ends with these words. */
const DANGLING =
  /\b(?:the|an?|of|and|or|to|in|on|at|by|for|from|with|that|which|this|these|its|our|your|any|as|is|are|be|not|no|you|may|will|than|such|under|including)$/i;

/** No statement begins with these words. */
const CONTINUATION = /^(?:of|and|or|to|for|with|by|that|which|due|because)\b/i;

function continuesInNext(line: AnswerLine | undefined, next: AnswerLine | undefined): boolean {
  if (!line || !next || line.text === '' || next.text === '' || next.label) return false;
  if (line.text.endsWith(',')) return true;
  if (line.label) return false;
  if (/[.!?:;)]$/.test(line.text)) return false;
  if (DANGLING.test(line.text)) return true;
  const beginsLower = /^\(?\p{Ll}[\p{L}'’-]*(?=[\s,)]|[.;]?$)(?![^.]*:\s)/u.test(next.text);
  if (beginsLower) return line.text.length > MAX_SHORT_LINE;
  return isWide(line) && (isWide(next) || CONTINUATION.test(next.text));
}

function isWide(line: AnswerLine | undefined): boolean {
  return (line?.text.length ?? 0) > WRAP_WIDTH;
}

function isParagraph(lines: readonly AnswerLine[], from: number, to: number, whole: string): boolean {
  const [above, below] = [lines[from - 1], lines[to]];
  return (
    whole.length > MAX_STATEMENT_LENGTH ||
    (isItem(lines[from]) && [above, below].some(isItem)) ||
    lines.slice(from, to).some(({ isCut }) => isCut) ||
    (isWide(lines[from]) &&
      ((isWide(above) && (isWide(below) || isWide(lines[from - 2]))) || (isWide(below) && isWide(lines[to + 1]))))
  );
}

function isItem(line: AnswerLine | undefined): boolean {
  return /^(?:[-–•·]|\(?[a-z\d]{1,2}[.)])\s+\S/i.test(line?.text ?? '');
}

function splitPassage(text: string): string[] {
  return text
    .split(/(?<=[\p{L}\d)][.!?;])(?<!\b(?:Co|Inc|Ltd|Corp|Dr|St|No|Nr)\.)\s+(?=\p{Lu})/u)
    .filter((sentence) => /[\p{L}\d]/u.test(sentence));
}

const SUFFIX = /(?<![^\s("'])(?:\.[\p{L}\d-]+)+/gu;
const CANNOT = /\bcan['’]?n?['’]?t\b/g;
const SHORT_NOT = /n['’]t\b/g;
const OTHER_NAME = /(?<![\p{L}\d@./-])(?:[\p{L}\d-]{1,63}\.){1,5}\p{L}[\p{L}\d-]{1,62}(?![\p{L}\d-])/gu;

function sentenceReader(name: DomainName): (text: string) => Pick<Sentence, 'text' | 'words' | 'suffix'> {
  const queriedName = namePattern(name);
  const isOwn = (suffix: string) => [name.ascii, name.unicode].some((each) => each.endsWith(suffix));
  return (text) => {
    const lower = text.toLowerCase().replace(queriedName, ' @ ');
    // Most lines have no dot, so they contain no name and need no further pattern.
    if (!lower.includes('.')) return { text, words: normalizeWords(lower), suffix: null };
    const suffixes = [...(lower.match(OTHER_NAME) ?? []).filter((each) => isOwn(`.${each}`)).map((each) => `.${each}`)];
    const named = lower.replace(OTHER_NAME, ' @other ');
    suffixes.push(...(named.match(SUFFIX) ?? []));
    const suffix = suffixes.length === 0 ? null : suffixes.some(isOwn) ? 'own' : 'other';
    return { text, words: normalizeWords(named.replace(SUFFIX, ' ')), suffix };
  };
}

function normalizeWords(named: string): string {
  return (/['’]|\bcant\b/.test(named) ? named.replace(CANNOT, 'can not').replace(SHORT_NOT, ' not') : named)
    .replace(/&(?:gt|lt|amp|quot|nbsp);?|["“”„«»'`‘’()[\]<>_]+/g, ' ')
    .replace(/^[\s.,;:|*>-]+|[\s.,;:!…-]+$/gu, '')
    .replace(/\s+/g, ' ');
}

/** Matches the name in all spellings, and without its TLD in `no match for example` and `examplenot found`. */
function namePattern(name: DomainName): RegExp {
  const label = escapeDots(name.ascii.slice(0, name.ascii.lastIndexOf('.')));
  const whole = [...new Set([name.unicode, name.ascii])].map(escapeDots).join('|');
  const named = `(?<![\\p{L}\\d.@-])(?:${whole})(?:\\.(?!\\p{L}))?(?![\\p{L}\\d-]|\\.\\p{L})`;
  return new RegExp(`${named}|(?<=\\bfor ["']?)${label}(?=["']?[.!]?$)|^${label}(?=not found)`, 'gu');
}

function escapeDots(name: string): string {
  return name.replaceAll('.', '\\.');
}
