// Breaks the rule: a domain knows no framework.
import { Logger } from '@nestjs/common';

export const log = new Logger();
