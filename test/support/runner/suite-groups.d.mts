export function suiteGroups(): Readonly<Record<string, readonly string[]>>;
