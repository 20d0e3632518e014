// Breaks the rule: a registry is asked through a port.
import { request } from 'undici';

export const query = request;
