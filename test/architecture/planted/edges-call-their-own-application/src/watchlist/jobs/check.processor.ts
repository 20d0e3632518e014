// Breaks the rule: a processor reads settings that its use case should.
import type { Config } from '../../config/config.js';

export type Settings = Config;
