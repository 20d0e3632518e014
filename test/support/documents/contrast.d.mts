/** The types of contrast.mjs, which a browser runs as it stands. */
export function faint(least: number): string[];
