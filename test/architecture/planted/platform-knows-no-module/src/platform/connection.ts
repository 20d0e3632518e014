import type { Config } from '../config/config.js';
import { now } from '../kernel/clock.js';

export const connect = (config: Config) => `${config} ${now}`;
