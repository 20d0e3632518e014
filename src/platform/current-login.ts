import { Logger } from '@nestjs/common';
import { readFileSync } from 'node:fs';

const log = new Logger('Login');
const LOGIN = /^[a-z+]+:\/\/(?:([^:@/?#]*)(?::([^/?#]*))?@)?/;

/**
 * Takes user and password from the file that the URL's `login_file` names, so that a changed password needs no restart.
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
