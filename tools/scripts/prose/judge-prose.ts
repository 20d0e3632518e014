/** A sentence that is hard to read. */
export interface Fault {
  /** The first line of its paragraph, counted from 1. */
  readonly line: number;
  readonly rule: string;
  readonly sentence: string;
}

const MAX_WORDS = 30;
/** Verbs after which `That` is a pronoun, and not the beginning of a clause. */
const VERBS = 'is|was|means|takes|makes|needs|saves|costs|adds|works|ends|prevents|leaves';

const RULES: readonly { readonly rule: string; readonly isBroken: (sentence: string) => boolean }[] = [
  {
    rule: 'begins with a noun clause',
    isBroken: (text) => new RegExp(`^(?:Who|What|Whoever|Whatever|That (?!(?:${VERBS})\\b))\\b.*[^?]$`, 's').test(text),
  },
  { rule: 'says "one that"', isBroken: (text) => /\bone (?:that|who|which)\b/i.test(text) },
  { rule: 'ends in "of it" or "by it"', isBroken: (text) => /\b(?:of|by) it(?=[\s.,;:)])/i.test(text) },
  { rule: 'says "is to be"', isBroken: (text) => /\b(?:is|are|was|were) to be\b/i.test(text) },
  { rule: `has more than ${MAX_WORDS} words`, isBroken: (text) => wordsOf(text) > MAX_WORDS },
];

/** Judges the paragraphs and lists of a Markdown page, but no code, headings or tables. */
export function judgeProse(markdown: string): Fault[] {
  return paragraphs(markdown).flatMap(({ line, text }) =>
    sentences(text).flatMap((sentence) =>
      RULES.filter(({ isBroken }) => isBroken(sentence)).map(({ rule }) => ({ line, rule, sentence })),
    ),
  );
}

/** Judges the comments of a source file like paragraphs. Leaves out diagrams, which are indented. */
export function judgeComments(source: string): Fault[] {
  let isInside = false;
  const lines = source.split('\n').map((line) => {
    const isBlock = isInside || /^\s*\/\*/.test(line);
    isInside = isBlock && !line.includes('*/');
    const text = isBlock ? line.replace(/^\s*(?:\/\*\*?|\*(?!\/))?/, '') : /(?:^|[;,{)]) *\/\/ (.*)$/.exec(line)?.[1];
    return text === undefined || /^ {4}/.test(text) ? '' : text.replace(/\*\/.*/, '').replace(/^\s*@/, '- @');
  });
  return judgeProse(lines.join('\n'));
}

interface Paragraph {
  readonly line: number;
  readonly text: string;
}

/** Returns the paragraphs. Each item of a list is its own paragraph. */
function paragraphs(markdown: string): Paragraph[] {
  const found: { line: number; lines: string[] }[] = [];
  let isOpen = false;
  let isCode = false;
  for (const [index, line] of markdown.split('\n').entries()) {
    const isFence = /^\s*```/.test(line);
    if (isFence) isCode = !isCode;
    if (isCode || isFence || /^\s*(?:[|#<]|$)/.test(line)) {
      isOpen = false;
      continue;
    }
    const isItem = /^\s*(?:[-*]|\d+\.)\s/.test(line);
    const text = line.replace(/^\s*(?:[-*]|\d+\.)?\s+/, '');
    const last = found.at(-1);
    if (isOpen && !isItem && last) last.lines.push(text);
    else found.push({ line: index + 1, lines: [text] });
    isOpen = true;
  }
  return found.map(({ line, lines }) => ({ line, text: lines.join(' ') }));
}

/** Splits a paragraph, also after colons. Code counts as one word, a link as its text. */
function sentences(paragraph: string): string[] {
  const plain = paragraph
    .replace(/`[^`]+`/g, 'Code')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|(?<!\w)_|_(?!\w)/g, '');
  return plain
    .split(/(?<=[.!?:][)"”]?)\s+(?=\S)/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

function wordsOf(sentence: string): number {
  return sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
