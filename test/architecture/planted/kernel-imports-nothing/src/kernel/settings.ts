// Breaks the rule: a type is an import too.
import type { Config } from '../config/config.js';

export type Settings = Config;
