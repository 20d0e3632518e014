// Breaks the rule: the kernel asks the machine.
import { hostname } from 'node:os';

export const here = hostname();
