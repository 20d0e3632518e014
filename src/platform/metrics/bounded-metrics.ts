import { Counter, Histogram, type Registry } from 'prom-client';

/** What a metric is called in a scrape. */
export interface MetricName {
  readonly name: `namewatch_${string}`;
  /** A sentence. */
  readonly help: string;
}

/** Counts in plain numbers; the library sees them at a scrape only. */
export class BoundedCounter {
  private readonly series: BoundedSeries<{ count: number }>;

  constructor({ name, help }: MetricName, limits: LabelLimits, registry: Registry) {
    this.series = new BoundedSeries(limits, () => ({ count: 0 }));
    const counter: Counter = new Counter({
      ...{ name, help, labelNames: Object.keys(limits), registers: [registry] },
      collect: () => {
        counter.reset();
        for (const { labels, value } of this.series.all()) counter.inc(labels, value.count);
      },
    });
  }

  /** Labels in the order in which the counter was declared. */
  increment(first?: string, second?: string, third?: string): void {
    this.series.get(first, second, third).count += 1;
  }
}

interface Distribution {
  /** Counts each bucket alone, not cumulatively; the last is beyond all bounds. */
  readonly counts: number[];
  sum: number;
}

/** Durations by bucket, in plain numbers. */
export class BoundedHistogram {
  private readonly series: BoundedSeries<Distribution>;

  constructor(
    { name, help }: MetricName,
    limits: LabelLimits,
    private readonly upperBounds: readonly number[],
    registry: Registry,
  ) {
    const zeros = [...upperBounds, Infinity].map(() => 0);
    this.series = new BoundedSeries(limits, () => ({ counts: [...zeros], sum: 0 }));
    const read = () => this.read(name);
    new (class extends Histogram {
      /** Called by the registry. */
      getForPromString() {
        return { name, help, type: 'histogram', values: read() };
      }
    })({ name, help, labelNames: Object.keys(limits), buckets: [...upperBounds], registers: [registry] });
  }

  /** Labels in the order in which the histogram was declared. */
  observe(seconds: number, first?: string, second?: string, third?: string): void {
    const distribution = this.series.get(first, second, third);
    let bucket = 0;
    while (seconds > (this.upperBounds[bucket] ?? Infinity)) bucket += 1;
    distribution.counts[bucket] = (distribution.counts[bucket] ?? 0) + 1;
    distribution.sum += seconds;
  }

  private read(name: string): MetricValue[] {
    return [...this.series.all()].flatMap(({ labels, value: { counts, sum } }) => {
      let count = 0;
      const buckets = counts.map((own, bucket) => {
        const bound = this.upperBounds[bucket];
        return { metricName: `${name}_bucket`, labels: { ...labels, le: bound ?? '+Inf' }, value: (count += own) };
      });
      const totals = [
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ];
      return [...buckets, ...totals];
    });
  }
}

interface MetricValue {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

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

  /** Takes labels in the order of the limits; those that the metric does not have are left out. */
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
