import { parser } from '../../tools/promql.js';

/** A series that an expression reads: its name, and the labels that are compared or grouped by. */
interface SeriesUse {
  readonly name: string;
  readonly labels: readonly string[];
}

/** `label_values(metric, label)` is Grafana's, not PromQL. */
const LABEL_VALUES = /^label_values\((\w+), (\w+)\)$/;

/** Every series of an expression, by Prometheus' own grammar. @throws Error where it cannot be parsed */
function findSeries(expression: string): SeriesUse[] {
  const [, metric, label] = LABEL_VALUES.exec(expression) ?? [];
  if (metric !== undefined && label !== undefined) return [{ name: metric, labels: [label] }];
  const text = expression.replaceAll('$__rate_interval', '5m');
  const found: { name: string; labels: string[] }[] = [];
  const grouping: string[] = [];
  parser.parse(text).iterate({
    enter: ({ type, name, node, from, to }) => {
      if (type.isError) throw new Error(`not PromQL at ${from}: ${text}`);
      if (name === 'VectorSelector') found.push({ name: '', labels: [] });
      const inGrouping = node.parent?.name === 'GroupingLabels';
      if (name === 'Identifier') Object.assign(found.at(-1) ?? {}, { name: text.slice(from, to) });
      if (name === 'LabelName') (inGrouping ? grouping : (found.at(-1)?.labels ?? [])).push(text.slice(from, to));
    },
  });
  return found.map((one) => ({ ...one, labels: [...new Set([...one.labels, ...grouping])] }));
}

/** Which series of the expressions a scrape lacks, as sentences. */
export function findMissing(scrape: string, expressions: readonly string[]): string[] {
  const labelsByName = readSeries(scrape);
  const uses = expressions.flatMap(findSeries);
  const missing = uses.flatMap(({ name, labels }) => {
    const known = labelsByName.get(name);
    if (!known) return [`${name} is in no scrape`];
    return labels.flatMap((label) =>
      known.has(label) || label === 'instance' ? [] : [`${name} has no label ${label}`],
    );
  });
  return [...new Set(missing)];
}

/** The labels of each series, those of a metric with help and no values left out. */
function readSeries(scrape: string): ReadonlyMap<string, ReadonlySet<string>> {
  const labelsByName = new Map<string, Set<string>>();
  for (const line of scrape.split('\n')) {
    const [, name, text = ''] = /^([a-z_0-9]+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === undefined) continue;
    const labels = labelsByName.get(name) ?? new Set();
    for (const [, label = ''] of text.matchAll(/(\w+)="/g)) labels.add(label);
    labelsByName.set(name, labels);
  }
  return labelsByName;
}
