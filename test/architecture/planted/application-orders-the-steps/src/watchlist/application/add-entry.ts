import { Injectable } from '@nestjs/common';
import type { Account } from '../../auth/index.js';
import type { Config } from '../../config/config.js';
import type { DomainName } from '../../domains/language.js';
import { now } from '../../kernel/clock.js';
import { start } from '../domain/watch-entry.js';

@Injectable()
export class AddEntry {
  run = (_account: Account, _config: Config, _name: DomainName) => [start, now];
}
