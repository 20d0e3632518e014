/** How long a soak is, in simulated days. */
export const DAYS = 30;

/** The second and the last quarter of the month, in days. */
const [EARLY, LATE] = [
  [7.5, 15],
  [22.5, 30],
] as const;

/** The measurements of one moment, by their names in the graph. */
export interface Sample {
  readonly day: number;
  readonly values: Readonly<Record<string, number>>;
}

/** Compares the last quarter of the month with the second one, in which what retention deletes is deleted already. */
export function findGrowth(all: readonly Sample[]): string[] {
  const names = [...new Set(all.flatMap((one) => Object.keys(one.values)))].filter((name) => !name.startsWith('most'));
  return names.flatMap((name) => {
    const [before, after] = [highest(all, name, EARLY), highest(all, name, LATE)];
    const bound = before * (name.endsWith('MB') ? 1.25 : 1.1) + allowance(name);
    return after > bound ? [`${name} grows: ${before.toFixed(1)} on days 7 to 15, ${after.toFixed(1)} at last`] : [];
  });
}

function allowance(name: string): number {
  if (name.startsWith('log of')) return 1_024; // max_wal_size: PostgreSQL keeps up to it for the next writes
  if (name.startsWith('table ') || name.endsWith('MB')) return 16;
  return name === 'dead rows' ? 50_000 : 8;
}

/** @param days from and to; 0 without a sample */
export function highest(all: readonly Sample[], name: string, [from, to]: readonly [number, number]): number {
  const within = all.filter(({ day }) => day >= from && day <= to).map((one) => one.values[name] ?? NaN);
  return Math.max(0, ...within.filter((value) => !Number.isNaN(value)));
}

const [WIDTH, PANEL, GAP, LEFT] = [860, 130, 44, 60];
const COLOURS = ['#2f6fde', '#c2410c', '#15803d', '#7c3aed'];

const PANELS: readonly (readonly [title: string, names: (all: readonly string[]) => readonly string[]])[] = [
  ['Memory, MB', (all) => all.filter((name) => name.startsWith('memory of'))],
  ['Open handles', (all) => all.filter((name) => name.startsWith('handles of'))],
  ['Connections to PostgreSQL', () => ['connections to PostgreSQL']],
  ['Tables and indexes, and log of PostgreSQL, MB', () => ['tables and indexes, MB', 'log of PostgreSQL, MB']],
  ['Most overdue check, seconds', () => ['most overdue check, s']],
];

/** Draws what was measured over the days as an SVG, with a mark for each fault. */
export function drawGraph(samples: readonly Sample[], faults: readonly { readonly day: number }[]): string {
  const all = [...new Set(samples.flatMap((one) => Object.keys(one.values)))];
  const height = PANELS.length * (PANEL + GAP) + 40;
  const marks = faults.map(({ day }) => `<line x1="${x(day)}" x2="${x(day)}" y1="8" y2="20" class="fault"/>`);
  const panels = PANELS.map(([title, choose], i) => drawPanel(title, choose(all), samples, 50 + i * (PANEL + GAP)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">
<style>.fault{stroke:#c2410c;stroke-width:1}.axis{stroke:#999}polyline{fill:none;stroke-width:1.5}</style>
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
<text x="4" y="18">faults</text>
${[...marks, ...panels].join('\n')}
</svg>
`;
}

function drawPanel(title: string, names: readonly string[], samples: readonly Sample[], top: number): string {
  const numbers = samples.flatMap((one) => names.map((name) => one.values[name] ?? NaN)).filter(Number.isFinite);
  const most = Math.max(1, ...numbers);
  const y = (value: number) => (top + PANEL - (value / most) * (PANEL - 16)).toFixed(1);
  const lines = names.map((name, i) => {
    const points = samples.flatMap(({ day, values }) => {
      const value = values[name] ?? NaN;
      return Number.isFinite(value) ? [`${x(day)},${y(value)}`] : [];
    });
    const colour = COLOURS[i % COLOURS.length] ?? '';
    const label = names.length === 1 ? '' : name.replace(/^(memory|handles) of |, MB$/g, '');
    return `<polyline points="${points.join(' ')}" stroke="${colour}"/><text x="${LEFT + 300 + i * 135}" y="${top}" fill="${colour}">${label}</text>`;
  });
  const days = [0, 10, 20, 30].map(
    (day) => `<text x="${x(day)}" y="${top + PANEL + 16}" text-anchor="middle">day ${day}</text>`,
  );
  return `<text x="${LEFT}" y="${top}" font-weight="bold">${title}</text>
<line class="axis" x1="${LEFT}" x2="${WIDTH - 20}" y1="${top + PANEL}" y2="${top + PANEL}"/>
<text x="${LEFT - 6}" y="${top + 20}" text-anchor="end">${most.toFixed(0)}</text><text x="${LEFT - 6}" y="${top + PANEL}" text-anchor="end">0</text>
${[...lines, ...days].join('\n')}`;
}

function x(day: number): string {
  return (LEFT + (Math.min(day, DAYS) / DAYS) * (WIDTH - LEFT - 30)).toFixed(1);
}
