// Breaks the rule: the platform speaks a module’s words.
import type { Scope } from '../auth/language.js';

export type Missing = Scope;
