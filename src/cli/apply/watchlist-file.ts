import { isUtf8 } from 'node:buffer';
import { DomainName, IcannSuffixes } from '../../domains/language.js';
import { DomainError } from '../../kernel/domain-error.js';
import { FileProblem, type Position } from './file-problem.js';
import { findViolation } from './schema-violation.js';
import { findUnsafeYaml } from './yaml-limits.js';

const MAX_BYTES = 10 * 1_024 * 1_024;
const START: Position = { line: 1, col: 1 };

interface Settings {
  readonly tags?: readonly string[];
  readonly [setting: string]: unknown;
}
interface NamedSettings extends Settings {
  readonly domain: string;
}
interface FileContent {
  readonly tag: string;
  readonly defaults?: Settings;
  readonly names: readonly (string | NamedSettings)[];
}

/** A valid file: its tag, and for each name the line of an import and where it stands. */
export interface WatchlistFile {
  readonly tag: string;
  readonly rows: readonly { readonly row: NamedSettings; readonly position: Position }[];
}

/**
 * @param file its name in problems
 * @throws FileProblem for the first thing that is wrong
 */
export async function parseWatchlistFile(file: string, bytes: Buffer): Promise<WatchlistFile> {
  if (bytes.length > MAX_BYTES) throw new FileProblem(file, START, `larger than ${MAX_BYTES >> 20} MiB`);
  if (!isUtf8(bytes)) throw new FileProblem(file, START, 'not valid UTF-8');
  const { document, locate } = await parseYaml(file, bytes.toString('utf8'));
  const content: unknown = document.toJS();
  const violation = await findViolation(content);
  if (violation) throw new FileProblem(file, locate(violation.path, violation.isKey), violation.message);
  const { tag, defaults, names } = content as FileContent;
  const rows = names.map((name, at) => {
    const own = typeof name === 'string' ? { domain: name } : name;
    return { row: { ...defaults, ...own }, position: locate(['names', at], false) };
  });
  rejectRepeatedNames(file, rows);
  return { tag, rows };
}

async function parseYaml(file: string, text: string) {
  const { CST, isMap, isNode, isScalar, Lexer, LineCounter, parseDocument } = await import('yaml');
  const unsafe = findUnsafeYaml(new Lexer().lex(text), CST.tokenType);
  if (unsafe) throw new FileProblem(file, positionAt(text, unsafe.offset), unsafe.message);
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, stringKeys: true, logLevel: 'error' });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw new FileProblem(file, positionAt(text, problem.pos[0]), problem.message);
  /** @param isKey whether it is about the last key of the path, not about its value */
  const locate = (path: readonly (string | number)[], isKey: boolean): Position => {
    const parent = isKey ? document.getIn(path.slice(0, -1), true) : null;
    const pair = isMap(parent) && parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1));
    const node = pair ? pair.key : document.getIn(path, true);
    return lineCounter.linePos((isNode(node) && node.range?.[0]) || 0);
  };
  return { document, locate };
}

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, col: offset - before.lastIndexOf('\n') };
}

/** Two spellings of one name; whether it can be watched at all, the service says. */
function rejectRepeatedNames(file: string, rows: WatchlistFile['rows']): void {
  const suffixes = new IcannSuffixes();
  const named = new Map<string, Position>();
  for (const { row, position } of rows) {
    const domain = toAscii(row.domain, suffixes);
    const former = named.get(domain);
    if (former) throw new FileProblem(file, position, `${row.domain} is in line ${former.line} already`);
    named.set(domain, position);
  }
}

function toAscii(domain: string, suffixes: IcannSuffixes): string {
  try {
    return DomainName.parse(domain, suffixes).ascii;
  } catch (error) {
    if (error instanceof DomainError) return domain;
    throw error;
  }
}
