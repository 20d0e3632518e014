// Breaks the rule: the command line comes in by the door too.
import { parse } from '../domains/domain/domain-name.js';

export const parsed = parse;
