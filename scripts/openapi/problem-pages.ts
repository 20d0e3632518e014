import type { ProblemKind } from '../../src/platform/http/errors/problem-catalogue.js';
import { format } from '../../tools/prettier.js';

const HEAD = `# Error codes

Every answer outside 2xx and 3xx is a problem document (RFC 9457) with one of these codes; its \`type\` is
\`/problems/{code}\`, a page of the service itself. Codes are stable; texts may improve, and new codes may come.
"Again" says whether the same request may succeed later without being changed (the member \`retryable\`).

This page is made from the catalogue in \`src/platform/http/errors/problem-catalogue.ts\` by \`npm run -s openapi\`.
`;

/** The catalogue of errors as a page of the documentation, by status. */
export async function problemPages(problems: Readonly<Record<string, ProblemKind>>): Promise<string> {
  const rows = Object.entries(problems)
    .sort(([one, { status: a }], [other, { status: b }]) => a - b || one.localeCompare(other, 'en'))
    .map(([code, kind]) => rowOf(code, kind));
  const table = ['| status | code | title | again | what it means |', '| --- | --- | --- | --- | --- |', ...rows];
  return format(`${HEAD}\n${table.join('\n')}\n`, { parser: 'markdown', printWidth: 120 });
}

function rowOf(code: string, { status, title, retryable, about }: ProblemKind): string {
  return `| ${status} | \`${code}\` | ${title} | ${retryable ? 'yes' : 'no'} | ${about.replaceAll('|', '\\|')} |`;
}
