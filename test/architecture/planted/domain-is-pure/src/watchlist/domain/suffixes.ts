// Breaks the rule: a domain reads no file.
import { readFileSync } from 'node:fs';

export const suffixes = () => readFileSync('suffixes');
