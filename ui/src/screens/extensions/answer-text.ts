import type { Answer } from './read-answer.js';

/** Browsers need too long to draw more. */
export const MOST_CHARACTERS = 100_000;

interface ShownText {
  readonly text: string;
  /** Whether only the file contains the rest of the text. */
  readonly isCut: boolean;
}

/** Returns the part of a response that is drawn, with JSON on separate lines. */
export function toShownText(text: string, mediaType: string): ShownText {
  const beginning = text.slice(0, MOST_CHARACTERS);
  const isJson = mediaType === 'application/json' || mediaType.endsWith('+json');
  const lines = isJson ? indentJson(beginning) : beginning;
  return {
    text: lines.slice(0, MOST_CHARACTERS),
    isCut: text.length > MOST_CHARACTERS || lines.length > MOST_CHARACTERS,
  };
}

const TOKENS = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|[{}[\],:]|[^\s"{}[\],:]+/g;
/** Deeper levels are not indented further. */
const MOST_DEPTH = 20;

/** Breaks JSON into lines without parsing, so that large numbers and repeated names stay unchanged. */
export function indentJson(json: string): string {
  const tokens = json.match(TOKENS) ?? [];
  let [text, depth] = ['', 0];
  const newLine = () => `\n${'  '.repeat(Math.min(Math.max(depth, 0), MOST_DEPTH))}`;
  for (const [position, token] of tokens.entries()) {
    const [before = '', next = ''] = [tokens[position - 1], tokens[position + 1]];
    if ('{['.includes(token)) {
      depth += 1;
      text += /^[}\]]/.test(next) ? token : token + newLine();
    } else if ('}]'.includes(token)) {
      depth -= 1;
      text += /^[{[]/.test(before) ? token : newLine() + token;
    } else if (token === ',') text += token + newLine();
    else text += token === ':' ? ': ' : token;
  }
  return text;
}

const ENDINGS: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
};

/** Makes a file name from the path of the link. The response cannot choose the name. */
export function toFileName(path: string, { mediaType, text }: Pick<Answer, 'mediaType' | 'text'>): string {
  const name =
    path
      .split('/')
      .at(-1)
      ?.replaceAll(/[^\w.-]/g, '') ?? '';
  const ending = `.${ENDINGS[mediaType] ?? (text === null ? 'bin' : 'txt')}`;
  return name.endsWith(ending) ? name : name + ending;
}

export function describeSize(bytes: number): string {
  const [number, unit] = bytes < 1_000 ? [bytes, 'bytes'] : bytes < 1e6 ? [bytes / 1e3, 'kB'] : [bytes / 1e6, 'MB'];
  return `${number.toLocaleString('en', { maximumFractionDigits: 1 })} ${unit}`;
}
