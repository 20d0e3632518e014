/** More are far beyond any watchlist, and would take gigabytes to parse. */
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
/** Says that the token after it is an unquoted scalar. */
const SCALAR = 'scalar';
/** Tokens that are not in the text. */
const MARKERS: ReadonlySet<string> = new Set(['doc-mode', 'flow-error-end', SCALAR]);
const VALUES: ReadonlySet<string> = new Set([SCALAR, 'single-quoted-scalar', 'double-quoted-scalar', 'seq-item-ind']);

/** What makes a text too expensive to parse as a whole, and where; null when nothing does. Needs no memory to speak of. */
export function findUnsafeYaml(
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
