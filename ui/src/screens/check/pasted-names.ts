/** Separators of lists, in all scripts. */
const SEPARATORS = /[,;，；、]+/;
/** Punctuation around a name in a text. A leading hyphen stays, since `-bad.com` is not `bad.com`. */
const AROUND = /^(?:[<>"'“”„‘’«»()[\]{}•–—]|\*(?!\.))+|[<>"'“”„‘’«»()[\]{}:!?]+$/g;
/** Matches the start of a list item, such as `1.` or `-`. */
const LIST_ITEM = /^(?:\d+[.)]?|-+)$/;

/**
 * Splits pasted text into names, URLs, mail addresses and words, without duplicates. The service finds the name in a
 * URL, since only the service knows which names can be registered.
 */
export function splitPasted(text: string): string[] {
  const found = text.split(/\s+/).flatMap(splitGroup);
  return [...new Map(found.map((one) => [one.toLowerCase(), one])).values()];
}

/** Splits text without spaces at separators, except within the path of a URL. */
function splitGroup(group: string): string[] {
  const found: string[] = [];
  let isPath = false;
  for (const piece of group.split(SEPARATORS)) {
    const one = piece.replace(AROUND, '');
    if (one === '' || LIST_ITEM.test(one) || (isPath && isWord(one))) continue;
    isPath = /[^/:]\/|[?#]/.test(one);
    found.push(one);
  }
  return found;
}

/** Whether the text is a label without a suffix. It becomes a name under each chosen suffix. */
export function isWord(text: string): boolean {
  return !/[.。．｡:/@]/.test(text);
}

/** Turns each word into a name under each suffix. Leaves other texts unchanged. */
export function toNames(pasted: readonly string[], suffixes: readonly string[]): string[] {
  const names = pasted.flatMap((one) => (isWord(one) ? suffixes.map((suffix) => `${one}.${suffix}`) : [one]));
  return [...new Set(names)];
}

/** Splits suffixes such as `com, .net co.uk`. */
export function splitSuffixes(text: string): string[] {
  return [...new Set(splitPasted(text).map((suffix) => suffix.replace(/^\.+/, '').toLowerCase()))].filter(Boolean);
}

/** A line that may be one name with a space in it, or several names. */
export interface Doubt {
  readonly line: string;
  readonly read: readonly string[];
  /** The name that the line would be without the space. */
  readonly joined: string;
}

/** Finds the first line with a word and a name that only spaces separate, such as `ex ample.com`. */
export function findDoubt(text: string): Doubt | null {
  for (const line of text.split(/[\r\n]+/)) {
    if (SEPARATORS.test(line) || !/\S\s+\S/.test(line)) continue;
    const read = splitPasted(line);
    const [first, second, ...others] = read;
    if (first === undefined || second === undefined || others.length > 0) continue;
    if (isWord(first) && !isWord(second) && !/[:/@]/.test(second)) return { line, read, joined: first + second };
  }
  return null;
}
