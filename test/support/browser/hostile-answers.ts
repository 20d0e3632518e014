import type { Page, Route } from '../../../tools/browser.js';

/** Markup that runs when it is taken for such, right-to-left marks that do not end, and length. */
const HOSTILE = `"><img src=x onerror="window.hasRun=1"><script>window.hasRun=1</script>\u202e\u2067${'W'.repeat(10_000)}`;
/** Latin, Cyrillic and Greek letters that are similar, without a place to break. */
const LONG_NAME = `аррle-αρρle-${'x'.repeat(200)}.test`;

/** Fields that hold what account holders, registries and receivers have written. */
const FOREIGN = new Set([
  'note',
  'tags',
  'name',
  'target',
  'headers',
  'excerpt',
  'response_excerpt',
  'server',
  'rule',
  'basis',
  'operator',
  'detail',
  'title',
  'issued_by',
  'plan',
  'domain_unicode',
  'registrar',
  'tld',
  'registry_statuses',
  'message',
  'label',
  'about',
  'version',
  'example',
  'tlds',
]);

/** From now on every answer of the API that this page gets has hostile text wherever others write. */
export async function poisonAnswers(page: Page): Promise<void> {
  await page.route(/\/v1\/(?!events)/, async (route: Route) => {
    const response = await route.fetch();
    const text = await response.text();
    if (!response.headers()['content-type']?.includes('json') || text === '')
      return route.fulfill({ response, body: text });
    const values = text.trim().split('\n'); // one, or one a line
    return route.fulfill({ response, body: values.map((one) => JSON.stringify(poison(JSON.parse(one)))).join('\n') });
  });
}

function poison(value: unknown, field = ''): unknown {
  if (Array.isArray(value)) return poisonList(value, field);
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, poison(held, key)]));
  if (field === 'domain_unicode') return LONG_NAME;
  const isText = typeof value === 'string' || value === null;
  return isText && FOREIGN.has(field) ? HOSTILE : value;
}

function poisonList(list: readonly unknown[], field: string): unknown[] {
  if (FOREIGN.has(field) && list.every((one) => typeof one === 'string')) return [HOSTILE, `${HOSTILE}2`];
  return list.map((one) => poison(one, field));
}
