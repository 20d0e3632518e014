import { toPrintableLine } from '../../kernel/printable-line.js';
import { pageContentSecurityPolicy } from '../../platform/http/hooks/security-headers.js';
import { type ClientRow, toDay } from '../domain/client-page.js';

export interface ClientPageContent {
  readonly title: string;
  readonly rows: readonly ShownRow[];
  readonly total: number;
  readonly months: readonly { readonly month: string; readonly names: number }[];
  readonly now: Date;
}

interface ShownRow extends ClientRow {
  readonly unicode: string;
}

const STYLE = `:root{color-scheme:light dark;--muted:light-dark(#57606a,#9aa4af);--line:light-dark(#d8dee4,#30363d);--bar:light-dark(#0b62d6,#6cb0ff);
--good:light-dark(#116329,#7ee2a0);--warn:light-dark(#7d4e00,#f2c55c);--bad:light-dark(#b3141d,#ff9a92)}
*{box-sizing:border-box}body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;background:light-dark(#fff,#0d1117);color:light-dark(#1f2328,#e6edf3)}
h1{font-size:1.5rem;line-height:1.3;margin:0;overflow-wrap:anywhere}h2{font-size:1.1rem;margin:2rem 0 .5rem}p{margin:.25rem 0}.muted,caption,th{color:var(--muted)}
svg{display:block;width:100%;max-width:40rem;height:auto}.bar{fill:var(--bar)}.base{stroke:var(--line)}svg text{fill:currentColor;font:11px system-ui,sans-serif;text-anchor:middle}
table{width:100%;border-collapse:collapse}th,td{text-align:left;vertical-align:top;padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--line)}
thead th{font-weight:500}tbody th{font-weight:600;color:inherit;overflow-wrap:anywhere}small{display:block;font-weight:400;color:var(--muted)}
.good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}.good,.warn,.bad{font-weight:600}
@media screen and (max-width:40rem){thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}table,tbody,tr{display:block}tr{border-bottom:1px solid var(--line);padding:.5rem 0}tbody th,td{display:block;border:0;padding:.05rem 0}}
@media print{:root{color-scheme:light}body{margin:0;max-width:none;font-size:10pt}tr{break-inside:avoid}thead{display:table-header-group}}`;

export const CLIENT_PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': pageContentSecurityPolicy(STYLE),
} as const;

/** Returns a complete HTML page, without scripts, links, forms or external files. */
export function toClientPage({ title, rows, total, months, now }: ClientPageContent): string {
  const more = total > rows.length ? `<p>The first ${count(rows.length)} of ${count(total)} names.</p>` : '';
  return toDocument(
    title,
    `<p class="muted">${total === 1 ? '1 name' : `${count(total)} names`}, as of ${toDay(now)}, ${now.toISOString().slice(11, 16)} UTC</p>
<h2 id="months">Expiries of the next twelve months</h2>
${toBars(months)}
<h2 id="names">Names</h2>
${more}<table aria-labelledby="names"><thead><tr><th scope="col">Name</th><th scope="col">State</th><th scope="col">Expires</th><th scope="col">Next step</th></tr></thead><tbody>
${rows.map(toRow).join('\n')}
</tbody></table>`,
  );
}

export function toRefusalPage(text: string): string {
  return toDocument('This page does not open', `<p>${escapeHtml(text)}</p>`);
}

function toDocument(title: string, content: string): string {
  const shown = escapeHtml(title);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>${shown}</title>
<style>${STYLE}</style></head><body><main><h1>${shown}</h1>
${content}
</main></body></html>
`;
}

function toRow({ domain, unicode, state, tone, expiresAt, next }: ShownRow): string {
  const ascii = unicode === domain ? '' : `<small>${escapeHtml(domain)}</small>`;
  const expires = expiresAt ? `<time datetime="${expiresAt.toISOString()}">${toDay(expiresAt)}</time>` : 'No date';
  return `<tr><th scope="row"><bdi>${escapeHtml(unicode)}</bdi>${ascii}</th><td class="${tone}">${state}</td><td>${expires}</td><td>${next}</td></tr>`;
}

const BAR = { room: 80, width: 34, step: 44, top: 16 } as const;
const short = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' });
const long = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

function toBars(months: ClientPageContent['months']): string {
  const most = Math.max(1, ...months.map(({ names }) => names));
  const foot = BAR.top + BAR.room;
  const bars = months.map(({ month, names }, index) => {
    const first = new Date(`${month}-01T00:00:00Z`);
    const height = names === 0 ? 0 : Math.max(2, Math.round((names / most) * BAR.room));
    const [x, middle] = [index * BAR.step, index * BAR.step + BAR.width / 2];
    const number = names === 0 ? '' : `<text x="${middle}" y="${foot - height - 4}">${count(names)}</text>`;
    return `<g><title>${long.format(first)}: ${count(names)}</title><rect class="bar" x="${x}" y="${foot - height}" width="${BAR.width}" height="${height}"/>${number}<text x="${middle}" y="${foot + 16}">${short.format(first)}</text></g>`;
  });
  const width = months.length * BAR.step;
  const words = months
    .filter(({ names }) => names > 0)
    .map(({ month, names }) => `${long.format(new Date(`${month}-01T00:00:00Z`))}: ${count(names)}`);
  const label =
    words.length === 0 ? 'No name expires in the next twelve months.' : `Names that expire. ${words.join('; ')}.`;
  return `<svg role="img" aria-label="${label}" viewBox="0 0 ${width} ${foot + 24}">${bars.join('')}<line class="base" x1="0" x2="${width}" y1="${foot}" y2="${foot}"/></svg>`;
}

function count(number: number): string {
  return number.toLocaleString('en');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes HTML, and removes control characters that could reverse the direction of other text. */
function escapeHtml(text: string): string {
  return toPrintableLine(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
