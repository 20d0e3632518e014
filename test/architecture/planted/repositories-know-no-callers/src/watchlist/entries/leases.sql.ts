// Breaks the rule: a statement made by a service.
import { service } from './watchlist.service.js';

export const CLAIM = service;
