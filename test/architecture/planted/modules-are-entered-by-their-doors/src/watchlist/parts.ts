// Breaks the rule: past the door of another module.
import { parse } from '../domains/domain/domain-name.js';
import { check } from '../domains/index.js';

export const known = [parse, check];
