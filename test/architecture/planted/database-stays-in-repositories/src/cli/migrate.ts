// Breaks the rule: the command line connects by itself.
import pg from 'pg';

export const connect = pg.Client;
