/** How many different values each label of a metric has at most; those that come later are `other`. */
export type LabelLimits = Readonly<Record<string, number>>;

/** Whatever does not fit: too many values, or text that is no name. */
const OTHER = 'other';
/** Names of hosts, routes, codes and types, and of operators, which administrators choose. */
const SAFE_VALUE = /^[\w.:/*{}[\]-][\w.:/*{}[\] -]{0,99}$/;
/** Occurs in no safe value, so different labels never share a key. */
const SEPARATOR = '\n';
const MAX_LABELS = 3;

interface Series<Value> {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: Value;
}

/**
 * One value per combination of labels. However many different values callers give, there are at most as many series as
 * the limits multiplied: nothing of what does not fit is kept. A known combination costs one access to a map.
 */
export class BoundedSeries<Value> {
  private readonly byKey = new Map<string, Series<Value>>();
  private readonly known: readonly { readonly label: string; readonly limit: number; readonly values: Set<string> }[];

  constructor(
    limits: LabelLimits,
    private readonly create: () => Value,
  ) {
    this.known = Object.entries(limits).map(([label, limit]) => ({ label, limit, values: new Set() }));
    if (this.known.length > MAX_LABELS) throw new Error(`a metric has at most ${MAX_LABELS} labels`);
  }

  /** In the order of the limits; those that the metric does not have are left out. */
  get(first = '', second = '', third = ''): Value {
    const key = first + SEPARATOR + second + SEPARATOR + third;
    return (this.byKey.get(key) ?? this.fold(first, second, third)).value;
  }

  all(): Iterable<Series<Value>> {
    return this.byKey.values();
  }

  private fold(...given: readonly string[]): Series<Value> {
    const folded = this.known.map(({ limit, values }, position) => admit(given[position] ?? '', limit, values));
    const key = [0, 1, 2].map((position) => folded[position] ?? '').join(SEPARATOR);
    const known = this.byKey.get(key);
    if (known) return known;
    const labels = Object.fromEntries(this.known.map(({ label }, position) => [label, folded[position] ?? OTHER]));
    const series = { labels, value: this.create() };
    this.byKey.set(key, series);
    return series;
  }
}

function admit(value: string, limit: number, values: Set<string>): string {
  if (values.has(value)) return value;
  if (values.size >= limit || !SAFE_VALUE.test(value)) return OTHER;
  values.add(value);
  return value;
}
