/** The types of chromium.mjs, which Jest loads before anything is compiled. */
export function chromiumForTests(): string | null;
