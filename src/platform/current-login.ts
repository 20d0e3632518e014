import { Logger } from '@nestjs/common';
import { readFileSync } from 'node:fs';

const log = new Logger('Login');
const LOGIN = /^[a-z+]+:\/\/(?:([^:@/?#]*)(?::([^/?#]*))?@)?/;

/**
 * A URL that was read from a file, with the user and password which are there now: a changed password counts for the next
 * connection, without a restart. While the file cannot be read the former ones stay.
 */
export function withCurrentLogin(url: string): string {
  const current = URL.parse(url);
  const file = current?.searchParams.get('login_file');
  if (!current || !file) return url;
  try {
    const [, username = '', password = ''] = LOGIN.exec(readFileSync(file, 'utf8').trim()) ?? [];
    Object.assign(current, { username, password });
    return current.href;
  } catch (error) {
    log.warn(`the login stays as it was: ${(error as Error).message}`);
    return url;
  }
}
