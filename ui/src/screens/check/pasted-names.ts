/** The separators of all scripts in which people write lists. */
const SEPARATORS = /[,;，；、]+/;
/** Marks around a name in a text. A hyphen at its beginning belongs to it: `-bad.com` is not `bad.com`. */
const AROUND = /^(?:[<>"'“”„‘’«»()[\]{}•–—]|\*(?!\.))+|[<>"'“”„‘’«»()[\]{}:!?]+$/g;
/** `1.` and `-` begin the items of a list. */
const LIST_ITEM = /^(?:\d+[.)]?|-+)$/;

/**
 * Splits pasted text, each part once: names, URLs, mail addresses and single words, on lines of their own or separated
 * by spaces, commas or semicolons. The service finds the name in a URL: it knows which names can be registered.
 */
export function splitPasted(text: string): string[] {
  const found = text.split(/\s+/).flatMap(splitGroup);
  return [...new Map(found.map((one) => [one.toLowerCase(), one])).values()];
}

/** Separates what stands without a space; the path of a URL may have commas too. */
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

/** Whether it is a label without a suffix, which becomes a name under each TLD that is asked for. */
export function isWord(text: string): boolean {
  return !/[.。．｡:/@]/.test(text);
}

/** Words stand for a name under each suffix; everything else is left as it is. */
export function toNames(pasted: readonly string[], suffixes: readonly string[]): string[] {
  const names = pasted.flatMap((one) => (isWord(one) ? suffixes.map((suffix) => `${one}.${suffix}`) : [one]));
  return [...new Set(names)];
}

/** `com, .net co.uk` */
export function splitSuffixes(text: string): string[] {
  return [...new Set(splitPasted(text).map((suffix) => suffix.replace(/^\.+/, '').toLowerCase()))].filter(Boolean);
}

/** A line that may be one name with a space in it, or several names. */
export interface Doubt {
  readonly line: string;
  /** The names as they were read. */
  readonly read: readonly string[];
  /** The one name that it would be without the space. */
  readonly joined: string;
}

/** The first line where a word stands beside a name with nothing but a space between them: `ex ample.com`. */
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
