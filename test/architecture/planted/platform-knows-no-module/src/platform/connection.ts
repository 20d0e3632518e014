import type { Config } from '../config.js';
import { now } from '../kernel/clock.js';

export const connect = (config: Config) => `${config} ${now}`;
