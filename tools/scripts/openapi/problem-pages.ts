import type { ProblemKind } from '../../../src/platform/http/errors/problem-catalogue.js';
import { format } from '../../prettier.js';

const HEAD = `# Error codes

After this page your client handles each error. Every answer outside 2xx and 3xx is a problem document (RFC 9457) with one of these codes. Its \`type\` is
\`/problems/{code}\`, a page of the service itself. Codes are stable; texts may improve, and new codes may come. "Retry" marks a code
whose request may succeed later without a change (\`retryable\`).

\`npm run -s openapi\` makes this page from the [catalogue](../src/platform/http/errors/problem-catalogue.ts).
`;

/** Returns the documentation page about problem codes, by status. */
export async function problemPages(problems: Readonly<Record<string, ProblemKind>>): Promise<string> {
  const all = Object.entries(problems).sort(([one], [other]) => one.localeCompare(other, 'en'));
  const byStatus = [...Map.groupBy(all, ([, { status }]) => status)].sort(([one], [other]) => one - other);
  const sections = byStatus.map(([status, kinds]) => {
    const lines = kinds.map(([code, kind]) => lineOf(code, kind));
    return `## ${status}\n\n${lines.join('\n')}\n`;
  });
  return format([HEAD, ...sections].join('\n'), { parser: 'markdown', printWidth: 120 });
}

function lineOf(code: string, { retryable, about }: ProblemKind): string {
  return `- \`${code}\`${retryable ? ' (retry)' : ''}: ${about}`;
}
