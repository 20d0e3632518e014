import type { AddWatchBody } from '#client';
import { isUtf8 } from 'node:buffer';
import type { ErrorObject } from 'ajv';
import { readFileSync } from 'node:fs';
import { DomainName, IcannSuffixes } from '../../domains/language.js';
import { DomainError } from '../../kernel/domain-error.js';
import { CommandError, EXIT } from '../exit-codes.js';

const MAX_BYTES = 10 * 1_024 * 1_024;
/** Line ends to replace by LF. In YAML a lone CR ends a line, but the parser does not know that. */
const LINE_END = /\r\n?/g;
const START: Position = { line: 1, col: 1 };

interface FileContent {
  readonly tag: string;
  readonly defaults?: Partial<AddWatchBody>;
  readonly names: readonly (string | AddWatchBody)[];
}

/** A valid file. Each name is a row to import, with its place in the file. */
export interface WatchlistFile {
  readonly tag: string;
  readonly rows: readonly { readonly row: AddWatchBody; readonly position: Position }[];
}

/**
 * Parses a watchlist file.
 * @param file the file's name for error messages
 * @throws FileProblem for the first problem
 */
export async function parseWatchlistFile(file: string, bytes: Buffer): Promise<WatchlistFile> {
  if (bytes.length > MAX_BYTES) throw new FileProblem(file, START, `larger than ${MAX_BYTES >> 20} MiB`);
  if (!isUtf8(bytes)) throw new FileProblem(file, START, 'not valid UTF-8');
  const { document, locate } = await parseYaml(file, bytes.toString('utf8').replace(LINE_END, '\n'));
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
  /**
   * Finds the position of a value in the file.
   * @param isKey whether to find the last key of the path, instead of its value
   */
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

/**
 * Refuses a name that occurs twice, even in two spellings. Keeps invalid names, because the service refuses them later.
 */
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

/** A line and a column, counted from 1. */
interface Position {
  readonly line: number;
  readonly col: number;
}

/** A problem in a file, with its position: `watchlist.yaml:12:5: unknown key "colour"`. */
class FileProblem extends CommandError {
  constructor(file: string, { line, col }: Position, message: string) {
    super(EXIT.refused, `${file}:${line}:${col}: ${message}`);
  }
}

interface SchemaViolation {
  readonly path: readonly (string | number)[];
  /** Whether the last key of the path is wrong, instead of its value. */
  readonly isKey: boolean;
  readonly message: string;
}

async function findViolation(content: unknown): Promise<SchemaViolation | null> {
  const { Ajv } = await import('ajv');
  const schema = JSON.parse(readFileSync(new URL('watchlist-file.schema.json', import.meta.url), 'utf8')) as object;
  const validate = new Ajv().compile(schema);
  const [error] = validate(content) ? [] : (validate.errors ?? []);
  return error ? toViolation(error) : null;
}

function toViolation({ instancePath, keyword, message = 'is not valid', params }: ErrorObject): SchemaViolation {
  const path = instancePath.split('/').slice(1).map(toSegment);
  const { additionalProperty, allowedValues, allowedValue } = params as Readonly<Record<string, unknown>>;
  if (keyword === 'additionalProperties' && typeof additionalProperty === 'string')
    return { path: [...path, additionalProperty], isKey: true, message: `unknown key "${additionalProperty}"` };
  const allowed = allowedValues ?? allowedValue;
  const values = allowed === undefined ? '' : `: ${[allowed].flat().map(String).join(', ')}`;
  return { path, isKey: false, message: `${describe(path)} ${message}${values}` };
}

/** Decodes one part of a JSON pointer. The index of an array becomes a number. */
function toSegment(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Returns a text such as `names[3].note`. */
function describe(path: SchemaViolation['path']): string {
  const text = path.map((one) => (typeof one === 'number' ? `[${one}]` : `.${one}`)).join('');
  return text === '' ? 'the file' : text.replace(/^\./, '');
}

/** No watchlist has more keys and values, and parsing more would take gigabytes of memory. */
const MAX_VALUES = 600_000;
const MAX_DEPTH = 20;

const FORBIDDEN: ReadonlyMap<string, string> = new Map([
  ['alias', 'aliases are not allowed'],
  ['anchor', 'anchors are not allowed'],
  ['tag', 'YAML tags are not allowed'],
  ['directive-line', 'YAML directives are not allowed'],
]);
const OPENS: ReadonlySet<string> = new Set(['flow-map-start', 'flow-seq-start']);
const CLOSES: ReadonlySet<string> = new Set(['flow-map-end', 'flow-seq-end']);
const INDICATORS: ReadonlySet<string> = new Set(['seq-item-ind', 'explicit-key-ind']);
/** The lexer yields this marker before each value without quotes. The value's text is the next token. */
const SCALAR = 'scalar';
/** Tokens that the lexer adds, and that do not occur in the file's text. */
const MARKERS: ReadonlySet<string> = new Set(['doc-mode', 'flow-error-end', SCALAR]);
const VALUES: ReadonlySet<string> = new Set([SCALAR, 'single-quoted-scalar', 'double-quoted-scalar', 'seq-item-ind']);

/** Finds the first place with forbidden or too expensive YAML. Reads only tokens, which takes little memory. */
function findUnsafeYaml(
  tokens: Iterable<string>,
  typeOf: (token: string) => string | null,
): { readonly offset: number; readonly message: string } | null {
  let offset = 0;
  let [flowDepth, lineDepth, values] = [0, 0, 0];
  let isScalar = false;
  for (const token of tokens) {
    const type: string | null = isScalar ? null : typeOf(token);
    isScalar = type === SCALAR;
    const forbidden = FORBIDDEN.get(type ?? '');
    if (forbidden !== undefined) return { offset, message: forbidden };
    if (type === 'newline') lineDepth = 0;
    if (INDICATORS.has(type ?? '')) lineDepth += 1;
    if (OPENS.has(type ?? '')) flowDepth += 1;
    if (CLOSES.has(type ?? '')) flowDepth -= 1;
    if (flowDepth + lineDepth > MAX_DEPTH) return { offset, message: `nested deeper than ${MAX_DEPTH} levels` };
    if (VALUES.has(type ?? '') && (values += 1) > MAX_VALUES)
      return { offset, message: `more than ${MAX_VALUES} keys and values` };
    if (!MARKERS.has(type ?? '')) offset += token.length;
  }
  return null;
}
