import { Counter, Histogram, type Registry } from 'prom-client';
import { BoundedSeries, type LabelLimits } from './bounded-series.js';

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
  /** Per bucket, not cumulative; the last is beyond all bounds. */
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
