// Breaks the rule: it takes a part of another module.
import { parse } from '../domains/domain/domain-name.js';

export const known = parse;
