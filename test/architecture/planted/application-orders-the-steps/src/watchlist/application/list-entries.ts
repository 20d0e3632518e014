// Breaks the rule: SQL is asked for through a port.
import { statements } from '../../platform/statements.js';

export const list = statements;
