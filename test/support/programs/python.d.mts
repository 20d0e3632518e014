export function pythonForTests(): string | null;
