import { randomInt } from 'node:crypto';
import { isIP } from 'node:net';
import { toASCII } from 'tr46';
import type { DomainName } from '../../domains/language.js';
import { now } from '../../kernel/clock.js';

export const due = (name: DomainName) => [randomInt(9), isIP(name), toASCII(name), now];
