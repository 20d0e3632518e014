/** A fenced block of a Markdown document. */
export interface Block {
  readonly language: string;
  readonly code: string;
  /** Where it begins, counted from 1. */
  readonly line: number;
}

export function fencedBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let open: { language: string; line: number; code: string[] } | null = null;
  for (const [index, text] of markdown.split('\n').entries()) {
    const fence = /^```(\S*)/.exec(text);
    if (open && fence) {
      blocks.push({ ...open, code: open.code.join('\n') });
      open = null;
    } else if (open) open.code.push(text);
    else if (fence) open = { language: fence[1] ?? '', line: index + 1, code: [] };
  }
  if (open) throw new Error(`the block of line ${open.line} has no end`);
  return blocks;
}

/** The cells of every table row. */
export function tableRows(markdown: string): string[][] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^[|\s:-]+$/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

/** The targets of links to files of the project. */
export function relativeLinks(markdown: string): string[] {
  return [...markdown.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, target = '']) => target);
}
