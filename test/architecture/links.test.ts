import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');

/** Reads a file of the project; null where there is none. */
type Read = (path: string) => string | null;

const readFromDisk: Read = (path) => {
  const file = join(ROOT, path);
  if (!existsSync(file)) return null;
  return path.endsWith('.md') ? readFileSync(file, 'utf8') : '';
};

/** Links and images of a page whose file or anchor does not exist. */
function findBrokenLinks(page: string, read: Read): string[] {
  const text = withoutCode(read(page) ?? '').replace(/`[^`\n]*`/g, ''); // Markdown as an example is no link
  const links = [...text.matchAll(/\]\((?!\w+:)([^)\s]+)[^)]*\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : normalize(join(dirname(page), path));
    const found = read(target);
    if (found === null) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(found).includes(anchor);
  });
}

/** Paths of the project that a page names without a link, as code, and that do not exist. */
function findMissingPaths(page: string): string[] {
  const named = [...page.matchAll(/`((?:\.ci|api|docs|examples|src|test|tools|ui)\/[\w./-]+)`/g)];
  const own = named.map(([, path = '']) => path).filter((path) => !path.includes('node_modules'));
  return own.filter((path) => !existsSync(join(ROOT, path)));
}

/** Headings as GitHub turns them into anchors, repeated ones with a number. */
function anchorsOf(markdown: string): string[] {
  const headings = [...withoutCode(markdown).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading);
  const seen = new Map<string, number>();
  return headings.map((heading) => {
    const slug = heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  });
}

const withoutCode = (markdown: string) => markdown.replace(/^```[\s\S]*?^```/gm, '');

const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name));
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  '.github/SECURITY.md',
  'CHANGELOG.md',
  'examples/receivers/README.md',
  ...docs,
].filter((path) => path.endsWith('.md') && existsSync(join(ROOT, path)));

describe('the documentation', () => {
  it.each(pages)('links only to files and headings that exist: %s', (page) => {
    expect(findBrokenLinks(page, readFromDisk)).toEqual([]);
  });

  it('names in CONTRIBUTING.md only paths that exist', () => {
    expect(findMissingPaths(readFromDisk('CONTRIBUTING.md') ?? '')).toEqual([]);
    expect(findMissingPaths('Its tests are in `test/unit` and `test/nowhere`.')).toEqual(['test/nowhere']);
  });

  it('may link to a heading that contains code', () => {
    const read: Read = (path) =>
      path === 'page.md' ? '# The `check` of a name\n\n[it](#the-check-of-a-name)\n' : null;
    expect(findBrokenLinks('page.md', read)).toEqual([]);
  });
});
