import type { IconName } from '../components/icon-paths.js';

/** A choice of the command palette, which leads to a path. */
export interface Command {
  readonly key: string;
  readonly label: string;
  readonly icon: IconName;
  readonly path: string;
}

interface Places {
  readonly screens: readonly Command[];
  readonly namePath: (domain: string) => string;
  /** Makes the path on which a name is checked or added. null if the key may not do that. */
  readonly checkPath: ((text: string) => string) | null;
  readonly addPath: ((text: string) => string) | null;
}

const MOST_NAMES = 8;

/**
 * Returns the commands for typed text: watched names, then screens, then checking or adding the text.
 * @param found watched names that the service found for the text
 */
export function commandsFor(typed: string, found: readonly string[], places: Places): readonly Command[] {
  const text = typed.trim();
  const words = text.toLowerCase().split(/\s+/);
  const screens = places.screens.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  if (text === '') return [...screens, ...acts('', places)];
  const names = found.slice(0, MOST_NAMES).map((domain) => ({
    key: `name ${domain}`,
    label: domain,
    icon: 'globe' as const,
    path: places.namePath(domain),
  }));
  return [...names, ...screens, ...acts(text, places)];
}

function acts(text: string, { checkPath, addPath }: Places): readonly Command[] {
  const check = text === '' ? 'Check a name' : `Is ${text} free?`;
  const add = text === '' ? 'Add names' : `Watch ${text}`;
  return [
    ...(checkPath ? [{ key: 'check', label: check, icon: 'search' as const, path: checkPath(text) }] : []),
    ...(addPath ? [{ key: 'add', label: add, icon: 'plus' as const, path: addPath(text) }] : []),
  ];
}
